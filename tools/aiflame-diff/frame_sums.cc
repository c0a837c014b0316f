// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/frame_sums.h"

#include <algorithm>
#include <utility>

namespace aiflame::diff {
namespace {

void add_to(Columns& sums, std::span<const uint64_t> columns) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += columns[i];
}

}  // namespace

bool FrameSums::is_wide(const Columns& sums) const {
  for (size_t i = 0; i < least_.size(); ++i)
    if (least_[i] > 0 && sums[i] >= least_[i]) return true;
  return false;
}

void FrameSums::add(std::string_view stack, std::span<const uint64_t> columns) {
  if (!begun_) first_ = stack;
  begun_ = true;
  const size_t common = static_cast<size_t>(
      std::mismatch(stack.begin(), stack.end(), last_.begin(), last_.end()).first - stack.begin());
  while (!open_.empty() && open_.back().length > common) close(false);
  last_ = stack;
  // Frames that end before the first byte that differs are open.
  size_t end = std::max(common, open_.empty() ? 1 : open_.back().length + 1);
  for (; end <= stack.size(); ++end) {
    end = std::min(stack.find(';', end), stack.size());
    open_.push_back({end, Columns(least_.size())});
  }
  if (!open_.empty()) add_to(open_.back().sums, columns);
}

// The innermost of the open frames: its sums are its caller's too. `may_go_on`: in the next piece.
void FrameSums::close(bool may_go_on) {
  const Open frame = std::move(open_.back());
  open_.pop_back();
  const auto caller = std::find_if(open_.rbegin(), open_.rend(),
                                   [&](const Open& one) { return last_[one.length] == ';'; });
  if (caller != open_.rend()) add_to(caller->sums, frame.sums);
  const std::string_view text = std::string_view(last_).substr(0, frame.length);
  // the piece before may have it too where this one began with it
  if (may_go_on || first_.starts_with(text) || is_wide(frame.sums))
    closed_.try_emplace(std::string(text), frame.sums);
}

FrameSums::Sums FrameSums::take() {
  while (!open_.empty()) close(true);
  return std::move(closed_);
}

void FrameSums::join(Sums& to, Sums&& from) {
  for (auto& [frames, sums] : from) {
    const auto [known, is_new] = to.try_emplace(frames, std::move(sums));
    if (!is_new) add_to(known->second, sums);
  }
}

}  // namespace aiflame::diff
