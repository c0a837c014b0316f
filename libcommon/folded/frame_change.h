// SPDX-License-Identifier: MIT
// How much of a frame's change may be noise. aiflame-diff writes a comment line for each frame that
// is wide enough to be seen, and viewers draw frames within noise pale:
//
//   # aiflame-change: before 4298, after 4202, low -278, high 86, frames matmul;main;run_basic;
//
// `before` and `after` are the frame's counts, with its descendants, as the lines of the same text
// add up to: a reader passes over the line where they do not, as after a grep. `low` and `high`
// bound the change. It is beyond noise if both lie on one side of 0. The frames begin at the root,
// which has none itself, and end with a semicolon: as a quantity's line (quantity.h) this one may
// stand anywhere, and never ends in a digit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/count.h"

namespace aiflame {

struct FrameChange {
  Count before, after;
  double low = 0, high = 0;
  std::string frames;  // "matmul;main;run_basic"; "" is the root

  bool is_beyond_noise() const { return low > 0 || high < 0; }
};

inline bool is_frame_change_line(std::string_view line) {
  return line.starts_with("# aiflame-change:");
}
// The comment line, with its newline.
std::string frame_change_line(const FrameChange& change);
// Parses such a line; nothing where it is malformed. Keys that are not known are passed over.
std::optional<FrameChange> parse_frame_change(std::string_view line);

// The changes that an input tells of.
class FrameChanges {
 public:
  // Of hostile input no more are kept, in number and in bytes of their frames.
  static constexpr size_t kMost = 1 << 16, kMostBytes = size_t{64} << 20;

  void read(std::string_view line);
  void add(const FrameChanges& other);
  bool empty() const { return changes_.empty(); }
  const std::vector<FrameChange>& all() const { return changes_; }

 private:
  void add(const FrameChange& change);

  std::vector<FrameChange> changes_;
  size_t bytes_ = 0;
};

}  // namespace aiflame
