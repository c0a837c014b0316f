// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/noise.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/program.h"
#include "libcommon/folded/frame_change.h"
#include "libcommon/folded/note.h"
#include "libcommon/statistics/families.h"
#include "libcommon/statistics/sampled.h"

namespace aiflame::diff {
namespace {

// Of a picture 1200 pixels wide a frame of this part of all is one pixel wide.
constexpr uint64_t kWide = 1000;

std::string count_text(size_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

Noise::Noise(const DiffSettings& settings, const Quantity& quantity, const Pair& totals,
             unsigned decimals)
    : settings_(settings),
      before_(settings.paths[0].size()),
      after_(settings.paths[1].size()),
      decimals_(decimals),
      least_(before_ + after_ + kSides) {
  // memory is counted to the byte: all of its changes are real
  if (settings.confidence <= 0 || !quantity.is_known() || quantity.is_memory()) return;
  sample_ = count_of_sample(quantity).value_or(0);
  is_known_ = sample_ > 0 || before_ > 1 || after_ > 1;
  for (size_t side = 0; side < kSides; ++side)
    least_[before_ + after_ + side] = totals[side] / kWide + 1;
}

// By how much the counts of each run are scaled: the means of the sides are what is written. Shares
// are compared run by run.
std::vector<double> Noise::scales(const Columns& all) const {
  std::vector<double> out;
  const size_t runs = before_ + after_;
  const auto of_side = [&](size_t begin, size_t end, uint64_t written) {
    double total = 0;
    for (size_t run = begin; run < end; ++run) total += static_cast<double>(all[run]);
    for (size_t run = begin; run < end; ++run) {
      const double whole = settings_.normalize ? static_cast<double>(all[run])
                                               : total / static_cast<double>(end - begin);
      out.push_back(whole > 0 ? static_cast<double>(written) / whole / std::pow(10.0, decimals_)
                              : 0);
    }
  };
  of_side(0, before_, all[runs]);
  of_side(before_, runs, all[runs + 1]);
  return out;
}

std::string Noise::lines(const FrameSums::Sums& sums, const Columns& all) const {
  const std::vector<double> scale = scales(all);
  const size_t runs = before_ + after_;
  const double unit = std::pow(10.0, decimals_);
  const auto measured = [&](const Columns& of, size_t begin, size_t end) {
    Measured out;
    for (size_t run = begin; run < end; ++run)
      out.runs.push_back(static_cast<double>(of[run]) * scale[run]);
    out.sample = sample_ * scale[end - 1] * unit;
    return out;
  };
  ComparisonFamily family(1 - settings_.confidence);
  std::vector<FrameChange> changes;
  const auto judge = [&](const std::string& frames, const Columns& of) {
    const Difference one = difference(measured(of, 0, before_), measured(of, before_, runs));
    if (!one.is_noise_known()) return;
    family.add(one);
    changes.push_back({{of[runs], decimals_}, {of[runs + 1], decimals_}, 0, 0, frames});
  };
  judge("", all);
  for (const auto& [frames, of] : sums)
    if (reaches(of, least_)) judge(frames, of);
  if (changes.empty()) return "";
  family.decide();
  size_t beyond = 0;
  std::string out;
  for (size_t i = 0; i < changes.size(); ++i) {
    const Change change = family.change(i);
    changes[i].low = change.low;
    changes[i].high = change.high;
    beyond += changes[i].is_beyond_noise() ? 1 : 0;
    out += frame_change_line(changes[i]);
  }
  const std::string how = before_ > 1 || after_ > 1
                              ? "as " + count_text(runs, "run") + " differ"
                              : "of counting samples alone, as each side is one run";
  return note_line("beyond noise: " + std::to_string(beyond) + " of " +
                   count_text(changes.size(), "frame") + "; noise is " + how + ".") +
         out;
}

}  // namespace aiflame::diff
