// SPDX-License-Identifier: MIT
// What the counts of folded text are. Programs of the family write it as a comment line in front of
// the stacks, and carry it on:
//
//   # aiflame: event gpu-clock, unit samples, period 1003009 ns
//   # aiflame: event gpu-time, unit ns, weights measured
//   # aiflame: event cycles:u, unit cycles
//   # aiflame: event gpu-time, unit ns, columns two
//
// A difference has two counts in each line, and says `columns two`. All other texts have one count.
// `cat`, `sort` and `merge` may move the line, so it stands anywhere, and more than once. It never
// ends in a digit: flamegraph.pl would draw a line that does. A unit is a printable word of at most
// 64 bytes that does not end in a digit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame {

// The unit of times.
inline constexpr std::string_view kNanoseconds = "ns";

struct Quantity {
  std::string event{};        // what was counted, in perf's words; empty: unknown, or several
  std::string unit{};         // samples, stalls, ns, cycles, events, …; empty: unknown
  uint64_t period = 0;        // a sample stands for this; 0: unknown, or it varies
  std::string period_unit{};  // ns, cycles, …; empty like `period`
  // Each count is the sum of measured durations or sizes, not a number of samples. False: sampled,
  // or unknown.
  bool measured = false;
  bool two_counts = false;  // of each line: before and after

  bool is_known() const { return !unit.empty(); }
  bool is_time() const { return unit == kNanoseconds; }
  // Of a device: what is in use, or reserved. It is counted, not sampled, and at a moment.
  bool is_memory() const { return unit == "bytes" && event.starts_with("gpu-memory"); }
  // Whether the counts have to be of this period to be compared. A period in the counts' own unit
  // is in the counts already.
  bool is_sampled() const { return period > 0 && period_unit != unit; }
};

// Whether readers take `text` as a unit: one printable word of 64 bytes at most. It ends the line,
// so it does not end in a digit.
bool is_unit(std::string_view text);

// The comment line of a known quantity, with its newline.
std::string quantity_line(const Quantity& quantity);

// Whether a line may be one: parse_quantity() then says so. Looks at few bytes.
inline bool is_quantity_line(std::string_view line) {
  return line.starts_with("# aiflame:");
}

// Parses such a line; nothing if it is another comment, or longer than 1024 bytes. Keys that are
// not known are passed over.
std::optional<Quantity> parse_quantity(std::string_view line);

// Whether counts of both may be added and compared: the same unit, and the same period where both
// are known; of `events` and `stalls` also the same event. Counts in the period's own unit are
// comparable whatever the period: 1000 ns are as long in samples of 4 ns as in those of 5. What is
// unknown may be added to anything, but two counts not to one.
bool is_comparable(const Quantity& a, const Quantity& b);

// The quantity of both together: the event or the period is forgotten where they differ, and only
// measured counts are measured together.
Quantity common_quantity(const Quantity& a, const Quantity& b);

// For messages: "stalls (gpu-stall)", "samples of 1003009 ns (gpu-clock)", "ns".
std::string describe(const Quantity& quantity);
// "counts are ns (gpu-time), those of a.folded are stalls (gpu-stall)"
std::string describe_difference(const Quantity& counts, const std::string& others,
                                const Quantity& theirs);

// "1,234 stalls"; units with a scale (unit_scale.h) in the one that fits: "873 ns", "12.35 us",
// "104.3 ms", "3.395 s", "1.250 kWh".
// `value` is in units of 10^-decimals.
std::string format_quantity(uint64_t value, unsigned decimals, std::string_view unit);

}  // namespace aiflame
