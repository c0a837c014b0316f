// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/timed_stacks.h"

#include <cmath>
#include <optional>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/folded.h"
#include "libcommon/io/file_kind.h"

namespace aiflame::cost {
namespace {

std::optional<double> seconds_of_unit(std::string_view unit) {
  if (unit == kNanoseconds) return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  return std::nullopt;
}

void add_line(std::string_view line, const LineReader& lines, TimedStacks& out) {
  FoldedLine folded;
  if (!split_folded(line, false, folded)) throw Error(lines.place() + ": missing count");
  const std::optional<Count> count = parse_count(folded.count);
  if (!count) throw Error(lines.place() + ": the count is too large");
  if (!out.sum.add(*count)) throw Error(lines.place() + ": " + kCountsTooLarge);
  if (is_printable(folded.stack))
    out.lines.write(folded.stack);
  else
    out.lines.write(printable(folded.stack));
  out.lines.write(" ");
  out.lines.write(folded.count);
  out.lines.write("\n");
}

// What the counts are, by the file or by --unit.
Quantity quantity_of(const std::string& name, const FileQuantity& says, const std::string& unit) {
  if (const auto& conflict = says.conflict())
    throw Error(name + ":" + std::to_string(conflict->place.line) + ": " +
                describe_difference(conflict->place.quantity,
                                    "line " + std::to_string(conflict->reference.line),
                                    conflict->reference.quantity));
  says.refuse_two_counts(name);
  Quantity out = says.quantity();
  if (!out.is_known()) {
    if (unit.empty())
      throw Error(name +
                  ": the file does not say what its counts are; if they are times, give their "
                  "unit: --unit ns, us, ms or s");
    out.unit = unit;
  } else if (!unit.empty() && unit != out.unit) {
    throw Error(name + ":" + std::to_string(says.places().front().line) + ": the counts are " +
                describe(out) + ", not " + unit);
  }
  if (!seconds_of_count(out))
    throw Error(name + ":" + std::to_string(says.places().front().line) + ": the counts are " +
                describe(out) +
                ", not times; fold device time: stackcollapse-aiflame --event gpu-time");
  return out;
}

}  // namespace

std::optional<double> seconds_of_count(const Quantity& quantity) {
  if (const auto seconds = seconds_of_unit(quantity.unit)) return seconds;
  if (quantity.unit != "samples" || quantity.period == 0) return std::nullopt;
  const auto seconds = seconds_of_unit(quantity.period_unit);
  if (!seconds) return std::nullopt;
  return *seconds * static_cast<double>(quantity.period);
}

TimedStacks read_times(const std::string& path, const std::string& unit) {
  TimedStacks out;
  FileQuantity says;
  LineReader lines(open_folded(path));
  std::string_view line;
  while (lines.next(line)) {
    if (!is_blank_or_comment(line)) {
      add_line(line, lines, out);
      continue;
    }
    says.read(line, lines.line_number());
    if (is_launch_fact_line(line)) out.launches.read(line);
  }
  out.quantity = quantity_of(lines.name(), says, unit);
  if (out.sum.value() == 0) throw Error(lines.name() + ": no time in the stacks");
  out.seconds = static_cast<double>(out.sum.value()) * *seconds_of_count(out.quantity) /
                std::pow(10.0, out.sum.decimals());
  return out;
}

}  // namespace aiflame::cost
