// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/read_input.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/count_sum.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/folded.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/io/input.h"
#include "tools/aiflame-forecast/graph_file.h"
#include "tools/aiflame-forecast/graph_fusion.h"

namespace aiflame::forecast {
namespace {

// The unit of counts that are calls.
constexpr std::string_view kCalls = "calls";

// Why counts of this unit cannot be forecast, or nothing.
const char* objection(Mode mode, const Quantity& quantity) {
  if (!quantity.is_known()) return nullptr;
  if (mode == Mode::absolute)
    return quantity.unit == kCalls
               ? nullptr
               : "--mode absolute takes counts of calls (# aiflame: unit calls)";
  if (quantity.unit == kCalls) return "calls have no time to scale: --mode absolute predicts it";
  if (quantity.is_time()) return nullptr;
  // samples of a clock are time; stalls leave out the instructions that do not stall
  if (quantity.unit == "samples" && quantity.event.find("stall") == std::string::npos)
    return nullptr;
  return "only time can be forecast";
}

class FoldedReader {
 public:
  FoldedReader(ByteSource&& source, Mode mode, Forecast& forecast)
      : lines_(std::move(source)), mode_(mode), forecast_(forecast) {}

  void read(InputFacts& facts, CountSum& sum) {
    std::string_view line;
    while (lines_.next(line)) {
      if (is_blank_or_comment(line)) {
        quantity_.read(line, lines_.line_number());
        if (!is_quantity_line(line)) continue;
        if (const auto quantity = parse_quantity(line)) check(*quantity);
        continue;
      }
      FoldedLine folded;
      if (!split_folded(line, false, folded)) fail("missing count");
      const std::optional<Count> count = parse_count(folded.count);
      if (!count || !sum.add(*count)) fail("the count is too large");
      facts.decimals = std::max(facts.decimals, count->decimals);
      forecast_.add(folded.stack,
                    static_cast<double>(count->value) / std::pow(10.0, count->decimals));
    }
    quantity_.refuse_two_counts(lines_.name());
    if (quantity_.conflict()) fail("counts of different units or periods");
    facts.quantity = common_quantity(facts.quantity, quantity_.quantity());
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(lines_.place() + ": " + what);
  }
  void check(const Quantity& quantity) const {
    if (const char* why = objection(mode_, quantity))
      fail("counts are " + describe(quantity) + ": " + why);
  }

  LineReader lines_;
  const Mode mode_;
  Forecast& forecast_;
  FileQuantity quantity_;
};

// Returns the nanoseconds that are hidden.
double read_graph_file(ByteSource&& source, const ForecastSettings& settings, Forecast& forecast) {
  const std::string name = source.name();
  if (settings.mode != Mode::absolute)
    throw Error(name + ":1: a graph has no measured time: --mode absolute predicts it");
  Graph graph = read_graph(std::move(source));
  if (settings.plan.layers > 1 && !graph.has_layer())
    throw Error(name +
                ": no node of a layer, such as transformer_h_0_ln_1, for --layers to repeat");
  if (settings.fuse) graph = fuse(std::move(graph));
  const ScheduledCalls scheduled =
      schedule(graph, settings.plan, [&](const Work& work) { return forecast.nanoseconds(work); });
  for (const ScheduledCall& call : scheduled.calls) forecast.add(call.stack, call.calls, call.work);
  return scheduled.hidden;
}

}  // namespace

InputFacts read_inputs(const ForecastSettings& settings, Forecast& forecast) {
  InputFacts facts;
  CountSum sum;
  for (const std::string& path : settings.paths) {
    ByteSource source(path);
    if (source.peek(kGraphHeader.size()) != kGraphHeader) {
      refuse_other_kinds(source, {FileKind::folded});
      FoldedReader(std::move(source), settings.mode, forecast).read(facts, sum);
      continue;
    }
    facts.hidden += read_graph_file(std::move(source), settings, forecast);
  }
  if (settings.mode == Mode::absolute) facts.decimals = 0;
  return facts;
}

}  // namespace aiflame::forecast
