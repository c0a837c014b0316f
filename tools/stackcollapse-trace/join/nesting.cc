// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/nesting.h"

#include <algorithm>
#include <tuple>

namespace aiflame::trace {
namespace {

// The outer one first. Of two with the same times the kind decides; Python numbers its calls in the
// order in which they begin.
bool stands_before(const Slice& a, const Slice& b) {
  const auto kind = [](const Slice& slice) {
    return slice.kind == Kind::module ? Kind::python : slice.kind;
  };
  if (a.thread != b.thread) return a.thread < b.thread;
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end > b.end;
  return std::make_tuple(kind(a), a.id, a.link, a.frame) <
         std::make_tuple(kind(b), b.id, b.link, b.frame);
}

// The slices that are open while the slices of a thread are gone through.
class OpenSlices {
 public:
  explicit OpenSlices(const Slice* slices) : slices_(slices) {}

  uint32_t top() const { return open_.empty() ? kNoNumber : open_.back(); }
  void push(uint32_t slice) {
    if (open_.size() < Nesting::kMaxDepth) open_.push_back(slice);
  }
  void close_until(int64_t time) {
    while (!open_.empty() && slices_[open_.back()].end <= time) open_.pop_back();
  }
  // Closes the functions that stand on the caller, if it is open: it has gone on without them. What
  // else stands on it may be a range that one of them has begun: `profiler.step()` begins the next
  // ProfilerStep.
  void return_to(uint64_t python_id) {
    for (size_t i = open_.size(); i-- > 0;) {
      if (!is_python(slices_[open_[i]]) || slices_[open_[i]].id != python_id) continue;
      const auto ended = std::remove_if(open_.begin() + static_cast<ptrdiff_t>(i) + 1, open_.end(),
                                        [&](uint32_t one) { return is_python(slices_[one]); });
      open_.erase(ended, open_.end());
      return;
    }
  }
  uint64_t innermost_python(int64_t time) const {
    for (size_t i = open_.size(); i-- > 0;)
      if (is_python(slices_[open_[i]]) && slices_[open_[i]].end > time) return slices_[open_[i]].id;
    return kNoId;
  }

 private:
  const Slice* slices_;
  std::vector<uint32_t> open_;
};

}  // namespace

Nesting::Nesting(Trace& trace) : trace_(trace) {
  GrowingArray<Slice>& slices = trace.slices;
  if (!std::is_sorted(slices.begin(), slices.end(), stands_before))
    std::sort(slices.begin(), slices.end(), stands_before);
  begins_.assign(trace.threads.size() + 1, 0);
  for (const Slice& slice : slices) ++begins_[slice.thread + 1];
  for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  for (uint32_t thread = 0; thread + 1 < begins_.size(); ++thread) find_parents(thread);
}

void Nesting::find_parents(uint32_t thread) {
  Slice* slices = trace_.slices.begin();
  OpenSlices open(slices);
  for (uint32_t i = begin_of(thread); i < end_of(thread); ++i) {
    Slice& slice = slices[i];
    open.close_until(slice.start);
    if (is_python(slice) && slice.link != kNoId && open.innermost_python(slice.start) != slice.link)
      open.return_to(slice.link);
    slice.parent = open.top();
    open.push(i);
  }
}

uint32_t Nesting::after(uint32_t thread, int64_t time) const {
  const Slice* slices = trace_.slices.begin();
  const Slice* found =
      std::upper_bound(slices + begin_of(thread), slices + end_of(thread), time,
                       [](int64_t wanted, const Slice& slice) { return wanted < slice.start; });
  return static_cast<uint32_t>(found - slices);
}

uint32_t Nesting::innermost(uint32_t thread, int64_t time) const {
  const uint32_t next = after(thread, time);
  if (next == begin_of(thread)) return kNoNumber;
  uint32_t at = next - 1;
  while (at != kNoNumber && trace_.slices[at].end <= time) at = trace_.slices[at].parent;
  return at;
}

int64_t Nesting::next_start(uint32_t thread, int64_t time) const {
  const uint32_t next = after(thread, time);
  return next == end_of(thread) ? INT64_MAX : trace_.slices[next].start;
}

void Nesting::stack_at(uint32_t slice, int64_t time, std::vector<uint32_t>& out) const {
  const size_t begin = out.size();
  for (uint32_t at = slice; at != kNoNumber; at = trace_.slices[at].parent)
    if (at == slice || trace_.slices[at].end > time) out.push_back(at);
  std::reverse(out.begin() + static_cast<ptrdiff_t>(begin), out.end());
}

}  // namespace aiflame::trace
