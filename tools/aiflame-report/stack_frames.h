// SPDX-License-Identifier: MIT
// Splits stacks into numbered frames, and knows the role of each frame.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/text/pattern.h"
#include "tools/aiflame-report/layers.h"
#include "tools/aiflame-report/text_numbers.h"

namespace aiflame::report {

class StackFrames {
 public:
  // At most 64 patterns, which must outlive this.
  explicit StackFrames(std::vector<const Pattern*> patterns) : patterns_(std::move(patterns)) {}

  // Makes `stack` the current stack. Frames that it shares with the previous stack need no look-up.
  void split(std::string_view stack);

  // The current stack, outermost frame first: numbers of names, and roles.
  const std::vector<uint32_t>& path() const { return path_; }
  const std::vector<FrameRole>& roles() const { return path_roles_; }
  // A bit for each pattern that any frame of the current stack matches.
  uint64_t matches() const;

  // The frames of all stacks, with their annotations.
  const TextNumbers& names() const { return names_; }
  size_t patterns() const { return patterns_.size(); }

 private:
  uint32_t number(std::string_view frame);

  std::vector<const Pattern*> patterns_;
  TextNumbers names_;
  std::vector<FrameRole> roles_;   // by frame
  std::vector<uint64_t> matches_;  // by frame: a bit for each pattern

  std::string stack_;         // the current stack
  std::vector<size_t> ends_;  // where its frames end
  std::vector<uint32_t> path_;
  std::vector<FrameRole> path_roles_;
};

}  // namespace aiflame::report
