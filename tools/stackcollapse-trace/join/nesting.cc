// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/nesting.h"

#include <algorithm>
#include <tuple>

namespace aiflame::trace {
namespace {

// The open functions among which a caller is looked for: nearly all outlast what they call.
constexpr size_t kMaxCallers = 256;

// The outer one first. Of two with the same times the kind decides. Python numbers its calls in the
// order in which they begin. Plain ones have such a number if their begins are events.
bool stands_before(const Slice& a, const Slice& b) {
  const auto kind = [](const Slice& slice) {
    return slice.kind == Kind::module ? Kind::python : slice.kind;
  };
  if (a.thread != b.thread) return a.thread < b.thread;
  if (a.start != b.start) return a.start < b.start;
  if (a.end != b.end) return a.end > b.end;
  const auto begin = [](const Slice& slice) {
    return slice.kind == Kind::plain ? slice.sequence : kNoId;
  };
  return std::make_tuple(kind(a), a.id, begin(a), a.frame) <
         std::make_tuple(kind(b), b.id, begin(b), b.frame);
}

}  // namespace

namespace {

// Of a Python function that outlasts the one before it, which thus has not called it: the one that
// "Python parent id" names.
uint32_t caller_of(const Slice* slices, uint32_t slice, const std::vector<uint32_t>& open) {
  const Slice& one = slices[slice];
  const Slice& last = slices[open.back()];
  if (!is_python(one) || !is_python(last) || one.end <= last.end || one.python_parent == kNoNumber)
    return open.back();
  for (size_t i = open.size(); i-- > 0 && open.size() - i <= kMaxCallers;)
    if (is_python(slices[open[i]]) &&
        static_cast<uint32_t>(slices[open[i]].id) == one.python_parent)
      return open[i];
  return open.back();
}

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
  std::vector<uint32_t> open;
  int64_t deeper_until = INT64_MIN;  // when the last one of those ends that are too deep
  for (uint32_t i = begin_of(thread); i < end_of(thread); ++i) {
    while (!open.empty() && slices[open.back()].end <= slices[i].start) open.pop_back();
    if (!open.empty()) slices[i].parent = caller_of(slices, i, open);
    if (open.size() < kMaxDepth) {
      open.push_back(i);
      continue;
    }
    slices[i].truncated = slices[i].start < deeper_until;
    deeper_until = std::max(deeper_until, slices[i].end);
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
