// SPDX-License-Identifier: MIT
// Which frames changed by more than noise: the lines that say so (libcommon/folded/frame_change.h).
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-diff/diff_settings.h"
#include "tools/aiflame-diff/frame_sums.h"

namespace aiflame::diff {

// The columns of the sums: one for each file, those before first, then the counts as they are
// written, before and after.
class Noise {
 public:
  // `totals`: of the written columns, in units of 10^-decimals.
  Noise(const DiffSettings& settings, const Quantity& quantity, const Pair& totals,
        unsigned decimals);

  // Whether anything is known of it: counts are of samples, or a side has several runs.
  bool is_known() const { return is_known_; }
  // What FrameSums needs: frames below a thousandth of both sides are not judged.
  const Columns& least() const { return least_; }
  // One line for each frame that is judged, and a note in front. `all` are the sums of all rows.
  std::string lines(const FrameSums::Sums& sums, const Columns& all) const;

 private:
  std::vector<double> scales(const Columns& all) const;

  const DiffSettings& settings_;
  size_t before_, after_;  // runs
  double sample_ = 0;      // what one counts; 0: nothing was sampled, or not that is known
  unsigned decimals_;
  bool is_known_ = false;
  Columns least_;
};

}  // namespace aiflame::diff
