// SPDX-License-Identifier: MIT
// Forecasts stack by stack, and adds up what was said of how much.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/memory/growing_array.h"
#include "libcommon/text/text_order.h"
#include "libcommon/text/text_table.h"
#include "tools/aiflame-forecast/collective.h"
#include "tools/aiflame-forecast/predictor.h"

namespace aiflame::forecast {

enum class Mode {
  scale,     // a measured time, by the ratio of what is predicted of the two devices
  absolute,  // counts are calls: their predicted time
  bounds,    // a measured time, by the least and the greatest ratio of peak rates
};
inline constexpr std::array<std::string_view, 3> kModeNames = {"scale", "absolute", "bounds"};

// What a stack's count becomes.
struct Outcome {
  double value = 0;
  double least = 0, most = 0;  // Mode::bounds
};

// How much of the measured and of the predicted amount is of a kind.
struct Amount {
  double before = 0, after = 0;
};

// What is to be said of a part of the predicted time.
enum class Caveat {
  type_taken,      // the type of data is --type, no name says it
  other_rate,      // a device has no rate of this type: that of another stands in
  by_mean,         // the mean of other devices' efficiencies stands in
  by_network,      // a network stands in that was trained on other devices
  beyond_network,  // that network was not trained on such
  other_type,      // of another type than fp32, of which nothing was measured
  out_of_range,    // larger or smaller than all that was measured
  not_measured,    // of its family or type nothing was measured: its error is not known
};
inline constexpr size_t kCaveats = 8;

struct Totals {
  Outcome all;
  double before = 0;
  std::array<Amount, kFamilies> by_family{};
  std::array<double, kCaveats> by_caveat{};  // of the amount after
  std::array<double, kMeasuredFamilies>
      measured{};           // of the amount after, that whose error is known
  double without_time = 0;  // calls of which no time can be said (Mode::absolute)

  double of(Caveat caveat) const { return by_caveat[static_cast<size_t>(caveat)]; }
};

class Forecast {
 public:
  // `from` may be null where the mode is absolute.
  Forecast(Mode mode, Method method, DataType type, const Predictor* from, const Predictor& to,
           const Cluster& cluster = {})
      : mode_(mode), method_(method), type_(type), from_(from), to_(to), cluster_(cluster) {}

  // A line of folded text; `count` in its unit.
  void add(std::string_view stack, double count);
  // The time of a call in nanoseconds (Mode::absolute).
  double nanoseconds(const Work& work) const { return factor(work).value; }
  // A stack whose work is known.
  void add(std::string_view stack, double count, const Work& work);

  // Calls take(stack, outcome) for all stacks, in bytewise order.
  template <typename Take>
  void each_row(Take take) const {
    for (const OrderedText& one : sorted()) take(one.view(), outcomes_[one.number]);
  }
  const Totals& totals() const { return totals_; }

 private:
  // What is said of an operator in a kernel. A million of them may differ, so it is small.
  struct Effect {
    Family family = Family::no_shapes;
    Outcome factor;  // of a count
    std::bitset<kCaveats> caveats;
  };
  Effect effect(std::string_view op, std::string_view kernel) const;
  Effect effect(const Work& work, bool type_known) const {
    return {work.family, factor(work), caveats(work, type_known)};
  }
  Outcome factor(const Work& work) const;
  Outcome bounds(const Work& work) const;
  void add(std::string_view stack, double count, const Effect& effect);
  std::vector<OrderedText> sorted() const;
  std::bitset<kCaveats> caveats(const Work& work, bool type_known) const;

  const Mode mode_;
  const Method method_;
  const DataType type_;
  const Predictor* const from_;
  const Predictor& to_;
  const Cluster cluster_;
  std::string key_;
  TextTable keys_;  // operator and kernel
  GrowingArray<Effect> effects_;
  TextTable stacks_;
  GrowingArray<Outcome> outcomes_;
  Totals totals_;
};

// Whether what was measured of a family has operators as large as this one, and as small.
bool is_in_range(const Work& work);

}  // namespace aiflame::forecast
