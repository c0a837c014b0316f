// SPDX-License-Identifier: MIT
#include "libcommon/objects/llvm/llvm_disassembler.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/objects/code_listing.h"
#include "libcommon/objects/llvm/llvm_library.h"

namespace aiflame {
namespace {

// A request is a target's triple and processor, each with a 0 byte behind it, and code. Without
// code it asks whether the target is known. The first byte of the answer says what it is; behind
// kNamed are three lines: the mnemonic, the size in bytes, the operands. With kMany before the
// triple, all instructions are asked for: behind kNamed are those that fit into an answer, and an
// empty mnemonic of 0 bytes where there is none.
constexpr char kNoLibrary = 'l', kUnknown = 'u', kKnown = 'k', kUndecodable = 'b', kNamed = 'n';
constexpr char kMany = '*';

// Code in a request for many. An answer has space for some hundred instructions of 4 bytes.
constexpr size_t kPiece = 1024;

// Longer code is not disassembled.
constexpr size_t kMaxCode = size_t{8} << 20;

constexpr std::string_view kPrefixes[] = {"lock",     "rep",     "repe",   "repz",
                                          "repne",    "repnz",   "bnd",    "xacquire",
                                          "xrelease", "notrack", "addr32", "data16"};

constexpr std::string_view kBlank = " \t\n";

// The three lines of the first instruction in `code`. `size` becomes 0 where there is none.
std::string lines_of(LlvmLibrary& llvm, const std::string& triple, const std::string& processor,
                     std::string_view code, size_t& size) {
  const LlvmLibrary::Text text =
      llvm.text(triple, processor, code.substr(0, LlvmDisassembler::kLongest));
  std::string operands;
  const std::string name = llvm_mnemonic(text.text, &operands);
  size = name.empty() ? 0 : text.size;
  if (size == 0) operands.clear();
  return name + '\n' + std::to_string(size) + '\n' + operands + '\n';
}

std::string many(LlvmLibrary& llvm, const std::string& triple, const std::string& processor,
                 std::string_view code) {
  std::string out{kNamed};
  for (size_t size = 1; size > 0 && !code.empty();) {
    const std::string next = lines_of(llvm, triple, processor, code, size);
    if (out.size() + next.size() > AnsweringChild::kMaxMessage) break;
    out += next;
    code.remove_prefix(std::min(size, code.size()));
  }
  return out;
}

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
  size_t size = 0;
  const std::string lines = lines_of(llvm, triple, processor, request, size);
  return size == 0 ? std::string{kUndecodable} : kNamed + lines;
}

// The child ran on untrusted code: what it says is checked.
bool is_text(std::string_view text, size_t longest) {
  return text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Takes an instruction from the front of what follows kNamed; nothing where it is not to be
// trusted. One without a name has the size 0.
std::optional<LlvmInstruction> take_named(std::string_view& answer) {
  constexpr size_t kLongestName = 64, kLongestOperands = 512;
  const auto take_line = [&] {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(answer.size(), line.size() + 1));
    return line;
  };
  const std::string_view name = take_line(), size = take_line(), operands = take_line();
  if (!is_text(name, kLongestName) || !is_text(operands, kLongestOperands)) return std::nullopt;
  LlvmInstruction out;
  out.mnemonic.name = name;
  out.operands = operands;
  const auto bytes = parse_number<uint32_t>(size);
  if (!bytes) return std::nullopt;
  out.size = *bytes;
  if (out.size > LlvmDisassembler::kLongest || name.empty() != (out.size == 0)) return std::nullopt;
  return out;
}

}  // namespace

std::string llvm_mnemonic(std::string_view text, std::string* operands) {
  std::string out;
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlank)));
    const std::string_view word = text.substr(0, text.find_first_of(kBlank));
    if (word.empty()) return "";  // a prefix alone is no instruction
    text.remove_prefix(word.size());
    out.append(out.empty() ? "" : " ").append(word);
    if (std::find(std::begin(kPrefixes), std::end(kPrefixes), word) != std::end(kPrefixes))
      continue;
    if (operands != nullptr) *operands = single_spaced(text.substr(0, text.find('\n')));
    return out;
  }
}

LlvmDisassembler::LlvmDisassembler()
    : LlvmDisassembler([] {
        const auto llvm = std::make_shared<LlvmLibrary>();
        return [llvm](std::string_view request) { return answer(*llvm, request); };
      }) {}

LlvmInstruction LlvmDisassembler::ask(const LlvmTarget& target, std::string_view code) {
  std::string request = target.triple + '\0' + target.processor + '\0';
  request.append(code.substr(0, kLongest));
  const auto answer = child_.ask(request);
  const auto unnamed = [](Unnamed why) { return LlvmInstruction{{"", why}, "", 0}; };
  if (!answer) return unnamed(Unnamed::gave_up);
  switch (answer->front()) {
    case kNoLibrary:
      return unnamed(Unnamed::no_disassembler);
    case kUnknown:
      return unnamed(Unnamed::unknown_device);
    case kKnown:
      return {};
    case kNamed: {
      std::string_view rest = std::string_view(*answer).substr(1);
      const auto it = take_named(rest);
      return it && it->size > 0 ? *it : unnamed(Unnamed::gave_up);
    }
    default:
      return unnamed(Unnamed::undecodable);
  }
}

LlvmDisassembler::Target& LlvmDisassembler::target(const LlvmTarget& target) {
  const auto [at, added] = targets_.try_emplace(target.triple + '\0' + target.processor);
  if (!added) return at->second;
  at->second.unnamed = ask(target, "").mnemonic.unnamed;
  // of most processors that it does not know, LLVM ends the process
  if (at->second.unnamed == Unnamed::gave_up && !child_.exhausted())
    at->second.unnamed = Unnamed::unknown_device;
  return at->second;
}

Unnamed LlvmDisassembler::unnamed(const LlvmTarget& wanted) {
  return target(wanted).unnamed;
}

const LlvmInstruction& LlvmDisassembler::instruction(const LlvmTarget& wanted,
                                                     std::string_view code) {
  Target& its = target(wanted);
  const auto [at, added] = its.instructions.try_emplace(std::string(code));
  if (!added) return at->second;
  if (its.unnamed != Unnamed::no)
    at->second.mnemonic.unnamed = its.unnamed;
  else if (code.empty())
    at->second.mnemonic.unnamed = Unnamed::undecodable;
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
    const auto next = take_named(rest);
    if (!next || next->size > piece.size() - at) break;
    out.push_back(*next);
    if (next->size == 0) break;
    at += next->size;
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
