// SPDX-License-Identifier: MIT
#include "libcommon/timeline/host_activity.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "libcommon/import/thread_ranges.h"

namespace aiflame {

void HostActivity::add_call(uint64_t thread, int64_t begin, int64_t end, HostPhase phase,
                            uint32_t stack) {
  if (begin < end) spans_.push_back({thread, begin, end, stack, phase, false});
}

void HostActivity::add_sample(uint64_t thread, int64_t begin, int64_t end, uint32_t stack) {
  if (begin < end) spans_.push_back({thread, begin, end, stack, HostPhase::runs, false});
}

void HostActivity::add_range(uint64_t thread, int64_t begin, int64_t end, uint32_t frame) {
  if (begin < end) spans_.push_back({thread, begin, end, frame, HostPhase::runs, true});
}

void HostActivity::finish(const std::function<uint32_t(uint64_t thread)>& root_of) {
  std::stable_sort(spans_.begin(), spans_.end(), [](const Span& a, const Span& b) {
    return std::tie(a.thread, a.begin, b.end) < std::tie(b.thread, b.begin, a.end);
  });
  for (size_t begin = 0, end = 0; begin < spans_.size(); begin = end) {
    while (end < spans_.size() && spans_[end].thread == spans_[begin].thread) ++end;
    cut(spans_.data() + begin, spans_.data() + end, root_of(spans_[begin].thread));
  }
  spans_ = {};
}

// What lasts at a moment, by its begins. The outermost call says what the host does, the innermost
// one where it is; ranges count outside of calls.
class HostActivity::Open {
 public:
  Open(uint32_t root, ImportedStacks& stacks) : root_(root), stacks_(stacks) {}

  bool empty() const { return spans_.empty(); }
  // When the next one ends.
  int64_t next_end() const { return ends_.empty() ? INT64_MAX : ends_.top(); }
  void add(const Span& span) {
    if (spans_.size() >= ThreadRanges::kDeepest) return;
    push(span);
    ends_.push(span.end);
  }
  // Removes what ends until `now`. Calls nest, so most of it is what began last.
  void end(int64_t now) {
    size_t ended = 0;
    for (; !ends_.empty() && ends_.top() <= now; ends_.pop()) ++ended;
    for (; ended > 0 && spans_.back().span->end <= now; --ended) spans_.pop_back();
    if (ended == 0) return;
    const auto is_over = [now](const Level& level) { return level.span->end <= now; };
    const auto first = std::find_if(spans_.begin(), spans_.end(), is_over);
    const std::vector<Level> above(first, spans_.end());
    spans_.erase(first, spans_.end());
    for (const Level& level : above)
      if (!is_over(level)) push(*level.span);
  }
  Piece piece(uint64_t thread, int64_t begin) const {
    if (spans_.empty()) return {thread, begin, root_, HostPhase::nothing};
    const Level& top = spans_.back();
    const Span* const one = top.call != nullptr ? top.call : top.sample;
    return {thread, begin, one != nullptr ? one->stack : top.ranges,
            top.call != nullptr ? top.phase : HostPhase::runs};
  }

 private:
  // A span, and what it and all below it say together.
  struct Level {
    const Span* span;
    uint32_t ranges;                                // their stack
    const Span *call = nullptr, *sample = nullptr;  // the innermost
    HostPhase phase = HostPhase::nothing;           // of the outermost call
  };

  void push(const Span& span) {
    Level level = spans_.empty() ? Level{nullptr, root_} : spans_.back();
    level.span = &span;
    if (span.is_range) {
      if (span.stack != kNoFrame) level.ranges = stacks_.child(level.ranges, span.stack);
    } else if (span.phase == HostPhase::runs) {
      level.sample = &span;
    } else {
      if (level.call == nullptr) level.phase = span.phase;
      level.call = &span;
    }
    spans_.push_back(level);
  }

  uint32_t root_;
  ImportedStacks& stacks_;
  std::vector<Level> spans_;
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends_;
};

// Goes through begins and ends in order.
void HostActivity::cut(const Span* begin, const Span* end, uint32_t root) {
  Open open(root, stacks_);
  for (const Span* next = begin; next != end || !open.empty();) {
    const int64_t now = std::min(next != end ? next->begin : INT64_MAX, open.next_end());
    open.end(now);
    for (; next != end && next->begin == now; ++next) open.add(*next);
    pieces_.push_back(open.piece(begin->thread, now));
  }
}

HostMoment HostActivity::at(uint64_t thread, uint64_t main, int64_t time) const {
  HostMoment moment = of_thread(thread, time);
  if (moment.phase != HostPhase::nothing || main == thread) return moment;
  const int64_t until = moment.until;
  moment = of_thread(main, time);
  moment.until = std::min(moment.until, until);
  return moment;
}

std::pair<int64_t, int64_t> HostActivity::extent(uint64_t thread) const {
  const auto begin =
      std::lower_bound(pieces_.begin(), pieces_.end(), thread,
                       [](const Piece& piece, uint64_t wanted) { return piece.thread < wanted; });
  auto end = begin;
  while (end != pieces_.end() && end->thread == thread) ++end;
  return begin == end ? std::pair<int64_t, int64_t>() : std::pair(begin->begin, (end - 1)->begin);
}

HostMoment HostActivity::of_thread(uint64_t thread, int64_t time) const {
  const auto next = std::upper_bound(
      pieces_.begin(), pieces_.end(), std::pair(thread, time),
      [](const std::pair<uint64_t, int64_t>& wanted, const Piece& piece) {
        return std::tie(wanted.first, wanted.second) < std::tie(piece.thread, piece.begin);
      });
  HostMoment out;
  if (next != pieces_.end() && next->thread == thread) out.until = next->begin;
  if (next == pieces_.begin() || (next - 1)->thread != thread) return out;
  out.phase = (next - 1)->phase;
  out.what = (next - 1)->stack;
  return out;
}

}  // namespace aiflame
