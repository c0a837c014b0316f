// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/x86_flow.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// Instructions below which the code does not go on. Bytes that are no instruction have no name.
constexpr std::string_view kEnds[] = {"",     "jmp",  "ljmp", "ret",   "retf",    "retfq",
                                      "retq", "iret", "ud0",  "iretd", "iretq",   "sysret",
                                      "ud1",  "ud2",  "hlt",  "int3",  "sysexit", "sysretq"};

bool ends(std::string_view operation) {
  return std::find(std::begin(kEnds), std::end(kEnds), operation) != std::end(kEnds);
}

// jmp, je, jrcxz, loop, loopne; xbegin names where the code goes on when the transaction fails.
bool jumps(std::string_view operation) {
  return operation.starts_with('j') || operation.starts_with("loop") || operation == "xbegin";
}

// `jmp` of `bnd jmp` and `notrack jmp`.
std::string_view without_prefixes(std::string_view mnemonic) {
  return mnemonic.substr(mnemonic.rfind(' ') + 1);
}

}  // namespace

std::optional<uint64_t> x86_target(std::string_view mnemonic, std::string_view operands,
                                   uint64_t next) {
  const std::string_view operation = without_prefixes(mnemonic);
  if (!jumps(operation) && !operation.starts_with("call")) return std::nullopt;
  const auto distance = parse_number<int64_t>(operands);
  if (!distance) return std::nullopt;
  return next + static_cast<uint64_t>(*distance);
}

Flow x86_flow(const std::vector<ListedInstruction>& code) {
  Flow out;
  out.falls_through.reserve(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    const std::string_view operation = without_prefixes(code[i].mnemonic);
    out.falls_through.push_back(!ends(operation));
    if (!jumps(operation)) continue;
    if (const auto to = target_of(code, code[i].operands); to) out.jumps.push_back({i, *to});
  }
  return out;
}

}  // namespace aiflame
