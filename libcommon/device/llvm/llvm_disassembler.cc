// SPDX-License-Identifier: MIT
#include "libcommon/device/llvm/llvm_disassembler.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/device/code_listing.h"
#include "libcommon/device/llvm/llvm_library.h"

namespace aiflame {
namespace {

// A request is a target's triple and processor, each with a 0 byte behind it, and code. Without
// code it asks whether the target is known. The first byte of the answer says what it is; behind
// kNamed are three lines: the mnemonic, the size in bytes, the operands.
constexpr char kNoLibrary = 'l', kUnknown = 'u', kKnown = 'k', kUndecodable = 'b', kNamed = 'n';

constexpr std::string_view kPrefixes[] = {"lock",     "rep",     "repe",   "repz",
                                          "repne",    "repnz",   "bnd",    "xacquire",
                                          "xrelease", "notrack", "addr32", "data16"};

constexpr std::string_view kBlank = " \t\n";

std::string answer(LlvmLibrary& llvm, std::string_view request) {
  const auto take = [&] {
    const std::string_view text = request.substr(0, request.find('\0'));
    request.remove_prefix(std::min(request.size(), text.size() + 1));
    return std::string(text);
  };
  const std::string triple = take(), processor = take();
  if (!llvm.found()) return {kNoLibrary};
  if (!llvm.knows(triple, processor)) return {kUnknown};
  if (request.empty()) return {kKnown};
  size_t size = 0;
  std::string operands;
  const std::string name = llvm_mnemonic(llvm.text(triple, processor, request, size), &operands);
  if (name.empty()) return {kUndecodable};
  return kNamed + name + '\n' + std::to_string(size) + '\n' + operands;
}

// The child ran on untrusted code: what it says is checked.
bool is_text(std::string_view text, size_t longest) {
  return text.size() <= longest &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// What follows kNamed; nothing where it is not to be trusted.
std::optional<LlvmInstruction> named(std::string_view answer) {
  constexpr size_t kLongestName = 64, kLongestOperands = 512;
  const auto take_line = [&] {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(answer.size(), line.size() + 1));
    return line;
  };
  const std::string_view name = take_line(), size = take_line();
  if (name.empty() || !is_text(name, kLongestName) || !is_text(answer, kLongestOperands))
    return std::nullopt;
  LlvmInstruction out;
  out.mnemonic.name = name;
  out.operands = answer;
  out.size = parse_number<uint32_t>(size).value_or(0);
  if (out.size > LlvmDisassembler::kLongest) return std::nullopt;
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
    case kNamed:
      if (auto it = named(std::string_view(*answer).substr(1))) return *it;
      return unnamed(Unnamed::gave_up);
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

}  // namespace aiflame
