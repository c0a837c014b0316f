// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/frame_sums.h"

#include <algorithm>
#include <utility>

namespace aiflame::diff {
namespace {

void add_to(std::span<uint64_t> sums, std::span<const uint64_t> columns) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += columns[i];
}

}  // namespace

bool reaches(std::span<const uint64_t> sums, const Columns& least) {
  for (size_t i = 0; i < least.size(); ++i)
    if (least[i] > 0 && sums[i] >= least[i]) return true;
  return false;
}

void FrameSums::add(std::string_view stack, std::span<const uint64_t> columns) {
  if (begun_) {
    const auto differs = std::mismatch(stack.begin(), stack.end(), last_.begin(), last_.end());
    const auto common = static_cast<size_t>(differs.first - stack.begin());
    settle(common, false);
    as_first_ = std::min(as_first_, common);
  } else {
    first_ = stack;
    as_first_ = stack.size();
  }
  begun_ = true;
  last_ = stack;
  columns_.assign(columns.begin(), columns.end());
}

// Adds the last row to its frames. The next one begins with the same `common` bytes.
void FrameSums::settle(size_t common, bool may_go_on) {
  size_t end = open_.empty() ? 1 : open_.back() + 1;
  for (; end <= std::min(common, last_.size()); ++end) {
    end = std::min(last_.find(';', end), last_.size());
    if (end > common) break;
    open_.push_back(end);
  }
  open_sums_.resize(open_.size() * least_.size());
  // the piece before may have those of its frames that the first row has
  keep_alone(std::max(end, common + 1), may_go_on || is_wide(columns_) ? last_.size() : as_first_);
  for (size_t frame = open_.size(); frame > 0; --frame) {
    if (open_[frame - 1] < last_.size() && last_[open_[frame - 1]] != ';') continue;
    add_to(sums_of(frame - 1), columns_);
    break;
  }
  while (!open_.empty() && open_.back() > common) close(may_go_on);
}

// The frames of the last row that no other row has, which end at a byte from `from` to `to`.
void FrameSums::keep_alone(size_t from, size_t to) {
  for (size_t end = from; end <= to; ++end) {
    end = std::min(last_.find(';', end), last_.size());
    if (end <= to) closed_.try_emplace(last_.substr(0, end), columns_);
  }
}

// The innermost of the open frames: its sums are its caller's too. `may_go_on`: in the next piece.
void FrameSums::close(bool may_go_on) {
  const size_t number = open_.size() - 1, length = open_[number];
  const std::span<const uint64_t> sums = sums_of(number);
  for (size_t caller = number; caller > 0; --caller) {
    if (last_[open_[caller - 1]] != ';') continue;
    add_to(sums_of(caller - 1), sums);
    break;
  }
  const std::string_view text = std::string_view(last_).substr(0, length);
  // the piece before may have it too where this one began with it
  if (may_go_on || is_wide(sums) || first_.starts_with(text))
    closed_.try_emplace(std::string(text), sums.begin(), sums.end());
  open_.pop_back();
  open_sums_.resize(number * least_.size());
}

FrameSums::Sums FrameSums::take() {
  if (begun_) settle(0, true);
  return std::move(closed_);
}

void FrameSums::join(Sums& to, Sums&& from) {
  for (auto& [frames, sums] : from) {
    const auto [known, is_new] = to.try_emplace(frames, std::move(sums));
    if (!is_new) add_to(known->second, sums);
  }
}

}  // namespace aiflame::diff
