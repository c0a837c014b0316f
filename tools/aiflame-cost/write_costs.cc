// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/write_costs.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "tools/aiflame-cost/apportioning.h"

namespace aiflame::cost {
namespace {

constexpr std::string_view kIdle = "[idle]";

void write_line(std::string_view stack, uint64_t count, Output& out) {
  if (count == 0) return;
  std::array<char, 24> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), count).ptr;
  out.write(stack);
  out.write(" ");
  out.write({digits.data(), static_cast<size_t>(end - digits.data())});
  out.write("\n");
}

}  // namespace

void write_costs(TimedStacks& stacks, const CountedCost& cost, Output& out) {
  LineReader lines(stacks.lines.read());
  Apportioning share(cost.stacks, stacks.sum.value());
  uint64_t idle = cost.idle;
  std::string_view line;
  FoldedLine folded;
  while (lines.next(line)) {
    // written by TimedStacks, which summed these counts
    const bool split = split_folded(line, false, folded);
    std::optional<Count> time = parse_count(folded.count);
    if (!split || !time || !widen(*time, stacks.sum.decimals()))
      throw Error("a temporary file changed while it was read");
    if (idle > 0 && kIdle < folded.stack) {
      write_line(kIdle, idle, out);
      idle = 0;
    }
    write_line(folded.stack, share.next(time->value), out);
  }
  write_line(kIdle, idle, out);
}

}  // namespace aiflame::cost
