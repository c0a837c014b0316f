// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/stack_frames.h"

#include <algorithm>

namespace aiflame::report {

void StackFrames::split(std::string_view stack) {
  // some writers put empty frames at the end
  while (stack.ends_with(';')) stack.remove_suffix(1);
  const auto differs = std::mismatch(stack.begin(), stack.end(), stack_.begin(), stack_.end());
  const auto same = static_cast<size_t>(differs.first - stack.begin());
  // a frame is shared when the semicolon after it is equal too
  const auto shared =
      static_cast<size_t>(std::lower_bound(ends_.begin(), ends_.end(), same) - ends_.begin());
  ends_.resize(shared);
  path_.resize(shared);
  path_roles_.resize(shared);
  stack_.assign(stack);
  size_t begin = shared == 0 ? 0 : ends_.back() + 1;
  while (begin <= stack.size()) {
    const size_t end = std::min(stack.find(';', begin), stack.size());
    const uint32_t frame = number(stack.substr(begin, end - begin));
    ends_.push_back(end);
    path_.push_back(frame);
    path_roles_.push_back(roles_[frame]);
    begin = end + 1;
  }
}

uint32_t StackFrames::number(std::string_view frame) {
  const uint32_t number = names_.number(frame);
  if (number < roles_.size()) return number;
  roles_.push_back(role_of(frame));
  uint64_t bits = 0;
  for (size_t i = 0; i < patterns_.size(); ++i)
    if (patterns_[i]->matches(frame)) bits |= uint64_t{1} << i;
  matches_.push_back(bits);
  return number;
}

uint64_t StackFrames::matches() const {
  uint64_t matched = 0;
  for (const uint32_t frame : path_) matched |= matches_[frame];
  return matched;
}

}  // namespace aiflame::report
