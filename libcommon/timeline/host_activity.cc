// SPDX-License-Identifier: MIT
#include "libcommon/timeline/host_activity.h"

#include <algorithm>
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

// Goes through begins and ends in order. The outermost call says what the host does, the innermost
// one where it is; ranges count outside of calls.
void HostActivity::cut(const Span* begin, const Span* end, uint32_t root) {
  std::vector<const Span*> open;  // by their begins
  int64_t now = begin->begin;
  const auto add_piece = [&] {
    Piece piece{begin->thread, now, root, HostPhase::nothing};
    const Span *call = nullptr, *sample = nullptr;
    for (const Span* one : open) {
      if (one->is_range) {
        piece.stack = stacks_.child(piece.stack, one->stack);
      } else if (one->phase == HostPhase::runs) {
        sample = one;
      } else {
        if (call == nullptr) piece.phase = one->phase;
        call = one;
      }
    }
    if (call == nullptr && !open.empty()) piece.phase = HostPhase::runs;
    if (call != nullptr || sample != nullptr)
      piece.stack = (call != nullptr ? call : sample)->stack;
    pieces_.push_back(piece);
  };
  for (const Span* next = begin; next != end || !open.empty();) {
    int64_t until = next != end ? next->begin : INT64_MAX;
    for (const Span* one : open) until = std::min(until, one->end);
    now = until;
    std::erase_if(open, [&](const Span* one) { return one->end <= now; });
    for (; next != end && next->begin == now; ++next)
      if (open.size() < ThreadRanges::kDeepest) open.push_back(next);
    add_piece();
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
