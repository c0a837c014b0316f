// SPDX-License-Identifier: MIT
// The runs of both sides, scaled so that they can be compared, and the differences between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "libcommon/statistics/change.h"
#include "tools/aiflame-report/profile.h"
#include "tools/aiflame-report/report_settings.h"

namespace aiflame::report {

class Sides {
 public:
  // Both must outlive this. Throws Error when counts cannot be compared: their units differ, or a
  // run without counts is to be scaled.
  Sides(const Profile& profile, const ReportSettings& settings);

  // 0 for a run before, 1 for one after. The runs of a single side are after.
  size_t side_of(size_t run) const { return run < border_ ? 0 : 1; }
  // What the counts are, if the input says it.
  const Quantity& quantity() const { return quantity_; }
  // Whether nothing varies: a device's memory is counted to the byte.
  bool is_exact() const;
  // What one sample adds to a count of a side, after scaling. 0: nothing was sampled, or not that
  // is known.
  double sample(size_t side) const { return sample_[side]; }

  // Of all stacks, of a thing, and of the stacks that match a pattern.
  Difference whole() const;
  Difference thing(Kind kind, uint32_t number, bool self) const;
  Difference pattern(size_t number) const;

 private:
  // A count in a run, and the same by time.
  using Counted = std::function<std::pair<uint64_t, const TimeSeries&>(size_t run)>;

  const std::vector<Profile::Run>& runs() const { return profile_.runs(); }
  size_t runs_of(size_t side) const { return side == 0 ? border_ : runs().size() - border_; }
  double mean_total(size_t begin, size_t end) const;
  void choose_scales();
  void choose_quantity();
  std::optional<double> known_sample() const;
  void choose_samples();
  Spread spread(uint64_t count, const TimeSeries& series, size_t run) const;
  Difference compare(const Counted& counted) const;

  const Profile& profile_;
  const ReportSettings& settings_;
  double unit_;
  size_t border_ = 0;  // the first run after
  std::vector<double> scales_;
  Quantity quantity_;
  double sample_[2] = {1, 1};
};

}  // namespace aiflame::report
