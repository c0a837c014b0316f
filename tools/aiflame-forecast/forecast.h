// SPDX-License-Identifier: MIT
// Forecasts stack by stack, and adds up what was said of how much.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count.h"
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

struct Totals {
  Outcome all;
  double before = 0;
  std::array<Amount, kFamilies> by_family{};
  double type_taken = 0;      // of the amount after: the type of data is --type, no name says it
  double other_rate = 0;      // … a device has no rate of this type: that of another stands in
  double by_mean = 0;         // … the mean of other devices' efficiencies stands in
  double by_network = 0;      // … a network stands in that was trained on other devices
  double beyond_network = 0;  // … that network was not trained on such
  double other_type = 0;      // … of another type than fp32, of which nothing was measured
  double out_of_range = 0;    // … larger or smaller than all that was measured
  double without_time = 0;    // calls of which no time can be said (Mode::absolute)
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

  // All stacks in bytewise order.
  struct Row {
    std::string_view stack;
    Outcome outcome;
  };
  std::vector<Row> rows() const;
  const Totals& totals() const { return totals_; }

 private:
  // What is said of an operator in a kernel.
  struct Effect {
    Work work;
    bool type_known = true;
    Outcome factor;  // of a count
  };
  Effect effect(std::string_view op, std::string_view kernel) const;
  Outcome factor(const Work& work) const;
  Outcome bounds(const Work& work) const;
  void add(std::string_view stack, double count, const Effect& effect);
  bool is_other_rate(const Work& work) const;

  const Mode mode_;
  const Method method_;
  const DataType type_;
  const Predictor* const from_;
  const Predictor& to_;
  const Cluster cluster_;
  std::string key_;
  TextTable keys_;  // operator and kernel
  std::vector<Effect> effects_;
  TextTable stacks_;
  std::vector<Outcome> outcomes_;
  Totals totals_;
};

// Whether what was measured of a family has operators as large as this one, and as small.
bool is_in_range(const Work& work);

}  // namespace aiflame::forecast
