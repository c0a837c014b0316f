// SPDX-License-Identifier: MIT
#include "libcommon/device/llvm/llvm_disassembler.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "libcommon/device/llvm/llvm_library.h"

namespace aiflame {
namespace {

// A request is a target's triple and processor, each with a 0 byte behind it, and code. Without
// code it asks whether the target is known. The first byte of the answer says what it is; behind
// kNamed is the mnemonic. With kMany before the triple, all instructions are asked for: behind
// kNamed are those that fit into an answer, each a byte with its size (0: no instruction), its text
// and a newline.
constexpr char kNoLibrary = 'l', kUnknown = 'u', kKnown = 'k', kUndecodable = 'b', kNamed = 'n';
constexpr char kMany = '*';

// Code in a request for many. An answer has space for some hundred instructions of 4 bytes.
constexpr size_t kPiece = 1024;

// Longer code is not disassembled.
constexpr size_t kMaxCode = size_t{8} << 20;

std::string many(LlvmLibrary& llvm, const std::string& triple, const std::string& processor,
                 std::string_view code) {
  std::string out{kNamed};
  while (!code.empty()) {
    LlvmLibrary::Text next =
        llvm.text(triple, processor, code.substr(0, LlvmDisassembler::kLongest));
    next.text.erase(std::remove(next.text.begin(), next.text.end(), '\n'), next.text.end());
    if (out.size() + next.text.size() + 2 > AnsweringChild::kMaxMessage) break;
    out.append(1, static_cast<char>(next.size)).append(next.text).append(1, '\n');
    if (next.size == 0) break;
    code.remove_prefix(std::min(next.size, code.size()));
  }
  return out;
}

constexpr std::string_view kPrefixes[] = {"lock",     "rep",     "repe",   "repz",
                                          "repne",    "repnz",   "bnd",    "xacquire",
                                          "xrelease", "notrack", "addr32", "data16"};

constexpr std::string_view kBlank = " \t\n";

std::string answer(LlvmLibrary& llvm, std::string_view request) {
  const bool all = request.starts_with(kMany);
  if (all) request.remove_prefix(1);
  const auto take = [&] {
    const std::string_view text = request.substr(0, request.find('\0'));
    request.remove_prefix(std::min(request.size(), text.size() + 1));
    return std::string(text);
  };
  const std::string triple = take(), processor = take();
  if (!llvm.found()) return {kNoLibrary};
  if (!llvm.knows(triple, processor)) return {kUnknown};
  if (request.empty()) return {kKnown};
  if (all) return many(llvm, triple, processor, request);
  const std::string name = llvm_mnemonic(llvm.text(triple, processor, request).text);
  return name.empty() ? std::string{kUndecodable} : kNamed + name;
}

// The child ran on untrusted code: what it says is checked.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_mnemonic(std::string_view text) {
  constexpr size_t kLongestName = 64;
  return !text.empty() && text.size() <= kLongestName && is_printable(text);
}

}  // namespace

std::string llvm_mnemonic(std::string_view text, std::string_view* operands) {
  std::string out;
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlank)));
    const std::string_view word = text.substr(0, text.find_first_of(kBlank));
    if (word.empty()) return "";  // a prefix alone is no instruction
    text.remove_prefix(word.size());
    out.append(out.empty() ? "" : " ").append(word);
    if (std::find(std::begin(kPrefixes), std::end(kPrefixes), word) != std::end(kPrefixes))
      continue;
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlank)));
    if (operands != nullptr) *operands = text.substr(0, text.find_last_not_of(kBlank) + 1);
    return out;
  }
}

LlvmDisassembler::LlvmDisassembler()
    : LlvmDisassembler([] {
        const auto llvm = std::make_shared<LlvmLibrary>();
        return [llvm](std::string_view request) { return answer(*llvm, request); };
      }) {}

Mnemonic LlvmDisassembler::ask(const LlvmTarget& target, std::string_view code) {
  std::string request = target.triple + '\0' + target.processor + '\0';
  request.append(code.substr(0, kLongest));
  const auto answer = child_.ask(request);
  if (!answer) return {"", Unnamed::gave_up};
  switch (answer->front()) {
    case kNoLibrary:
      return {"", Unnamed::no_disassembler};
    case kUnknown:
      return {"", Unnamed::unknown_device};
    case kKnown:
      return {};
    case kNamed:
      if (is_mnemonic(std::string_view(*answer).substr(1))) return {answer->substr(1), Unnamed::no};
      return {"", Unnamed::gave_up};
    default:
      return {"", Unnamed::undecodable};
  }
}

LlvmDisassembler::Target& LlvmDisassembler::target(const LlvmTarget& target) {
  const auto [at, added] = targets_.try_emplace(target.triple + '\0' + target.processor);
  if (!added) return at->second;
  at->second.unnamed = ask(target, "").unnamed;
  // of most processors that it does not know, LLVM ends the process
  if (at->second.unnamed == Unnamed::gave_up && !child_.exhausted())
    at->second.unnamed = Unnamed::unknown_device;
  return at->second;
}

Unnamed LlvmDisassembler::unnamed(const LlvmTarget& wanted) {
  return target(wanted).unnamed;
}

const Mnemonic& LlvmDisassembler::name(const LlvmTarget& wanted, std::string_view code) {
  Target& its = target(wanted);
  const auto [at, added] = its.names.try_emplace(std::string(code));
  if (!added) return at->second;
  if (its.unnamed != Unnamed::no)
    at->second.unnamed = its.unnamed;
  else if (code.empty())
    at->second.unnamed = Unnamed::undecodable;
  else
    at->second = ask(wanted, code);
  return at->second;
}

// The instructions at the front of `code` that one answer holds; none where there was none.
std::vector<LlvmInstruction> LlvmDisassembler::ask_many(const LlvmTarget& target,
                                                        std::string_view code) {
  std::vector<LlvmInstruction> out;
  const std::string_view piece = code.substr(0, kPiece);
  std::string request = kMany + target.triple + '\0' + target.processor + '\0';
  const auto answer = child_.ask(request.append(piece));
  if (!answer || answer->front() != kNamed) return out;
  std::string_view rest = std::string_view(*answer).substr(1);
  for (size_t at = 0; !rest.empty();) {
    // an instruction may be cut off at the end of the piece
    if (piece.size() < code.size() && piece.size() - at < kLongest) break;
    LlvmInstruction next;
    next.size = static_cast<unsigned char>(rest.front());
    const size_t end = rest.find('\n', 1);
    if (end == std::string_view::npos || next.size > piece.size() - at) break;
    std::string text(rest.substr(1, end - 1));
    std::replace(text.begin(), text.end(), '\t', ' ');
    rest.remove_prefix(end + 1);
    if (!is_printable(text)) break;
    if (next.size > 0) next.text = std::move(text);
    out.push_back(std::move(next));
    if (out.back().size == 0) break;
    at += out.back().size;
  }
  return out;
}

std::vector<LlvmInstruction> LlvmDisassembler::all(const LlvmTarget& wanted, std::string_view code,
                                                   uint32_t unit) {
  std::vector<LlvmInstruction> out;
  if (code.size() > kMaxCode || unnamed(wanted) != Unnamed::no) return out;
  while (!code.empty()) {
    std::vector<LlvmInstruction> next = ask_many(wanted, code);
    if (next.empty()) break;
    for (LlvmInstruction& each : next) {
      if (each.size == 0) each.size = static_cast<uint32_t>(std::min<size_t>(unit, code.size()));
      code.remove_prefix(each.size);
      out.push_back(std::move(each));
    }
  }
  return out;
}

}  // namespace aiflame
