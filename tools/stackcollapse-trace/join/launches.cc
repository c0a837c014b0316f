// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/launches.h"

#include <algorithm>
#include <tuple>

#include "tools/stackcollapse-trace/keep/unnamed_devices.h"

namespace aiflame::trace {
namespace {

// Calls and operators of one number that are looked at: a program has a few.
constexpr size_t kMaxCandidates = 64;

// The numbers of the slices of some kinds that have an id, sorted by it. Slices of one id keep
// their order.
template <typename Wanted>
std::vector<uint32_t> by_id(const Trace& trace, const Wanted& wanted) {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < trace.slices.size(); ++i)
    if (trace.slices[i].id != kNoId && wanted(trace.slices[i])) out.push_back(i);
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    const Slice& one = trace.slices[a];
    const Slice& other = trace.slices[b];
    return std::tie(one.id, one.start, a) < std::tie(other.id, other.start, b);
  });
  return out;
}

}  // namespace

Launches::Launches(Trace& trace, const Nesting& nesting)
    : trace_(trace),
      nesting_(nesting),
      calls_(by_id(trace, [](const Slice& slice) { return slice.kind == Kind::runtime; })),
      python_threads_(find_python_threads(trace)),
      operators_(by_id(trace, [](const Slice& slice) {
        return slice.kind == Kind::op || slice.kind == Kind::range;
      })) {
  trace.launches.sort();
  trace.host_launches.sort();
}

Launch Launches::find(const Work& work) const {
  Launch launch = by_correlation(work);
  if (launch.slice == kNoNumber && !launch.ambiguous) launch = by_flow(trace_.launches, work);
  if (launch.slice == kNoNumber && !launch.ambiguous) launch = by_flow(trace_.host_launches, work);
  if (launch.slice == kNoNumber && !launch.ambiguous) launch = by_external_id(work);
  return launch;
}

Launch Launches::latest(const std::vector<uint32_t>& by_id, uint64_t id, const Work& work) const {
  struct Wanted {
    uint64_t id;
    int64_t time;
  };
  // the first that began later, or has a later id
  auto at =
      std::upper_bound(by_id.begin(), by_id.end(), Wanted{id, work.start},
                       [&](const Wanted& wanted, uint32_t other) {
                         const Slice& slice = trace_.slices[other];
                         return std::tie(wanted.id, wanted.time) < std::tie(slice.id, slice.start);
                       });
  if (at != by_id.begin() && trace_.slices[*(at - 1)].id == id) --at;
  if (at == by_id.end() || trace_.slices[*at].id != id) return {};
  size_t begin = static_cast<size_t>(at - by_id.begin()), end = begin + 1;
  while (begin > 0 && end - begin < kMaxCandidates && trace_.slices[by_id[begin - 1]].id == id)
    --begin;
  for (; end < by_id.size() && end - begin < kMaxCandidates; ++end)
    if (trace_.slices[by_id[end]].id != id) break;
  for (size_t i = begin; i < end; ++i)
    if (process(by_id[i]) != process(*at))
      return of_one_process({&by_id[begin], end - begin}, work);
  return {*at, trace_.slices[*at].start};
}

Launch Launches::of_one_process(std::span<const uint32_t> slices, const Work& work) const {
  Launch out{.ambiguous = true};
  if (work.external_id == kNoId || work.external_id == 0 || slices.size() == kMaxCandidates)
    return out;
  for (const uint32_t slice : slices) {
    if (operator_of(slice) != work.external_id) continue;
    if (out.slice != kNoNumber && process(out.slice) != process(slice)) return {.ambiguous = true};
    if (out.slice == kNoNumber || trace_.slices[slice].start <= work.start)
      out = {.slice = slice, .time = trace_.slices[slice].start};
  }
  return out;
}

// The external id of the operator that a call stands in.
uint64_t Launches::operator_of(uint32_t slice) const {
  for (uint32_t at = slice; at != kNoNumber; at = trace_.slices[at].parent)
    if (trace_.slices[at].kind == Kind::op || trace_.slices[at].kind == Kind::range)
      return trace_.slices[at].id;
  return kNoId;
}

Launch Launches::by_correlation(const Work& work) const {
  // 0 is what a writer has that does not know it
  if (work.correlation == kNoId || work.correlation == 0) return {};
  return latest(calls_, work.correlation, work);
}

Launch Launches::by_flow(const Flows& flows, const Work& work) const {
  uint64_t id = work.correlation;
  const GrowingArray<FlowEnd>& starts = flows.starts;
  const GrowingArray<FlowEnd>& ends = flows.ends;
  const auto end =
      std::lower_bound(ends.begin(), ends.end(), work, [](const FlowEnd& flow, const Work& wanted) {
        return std::tie(flow.thread, flow.time) < std::tie(wanted.track, wanted.start);
      });
  if (end != ends.end() && end->thread == work.track && end->time == work.start) id = end->id;
  if (id == kNoId) return {};
  const FlowEnd wanted{id, work.start, UINT32_MAX};
  auto start = std::upper_bound(starts.begin(), starts.end(), wanted,
                                [](const FlowEnd& a, const FlowEnd& b) {
                                  return std::tie(a.id, a.time) < std::tie(b.id, b.time);
                                });
  if (start != starts.begin() && (start - 1)->id == id) --start;
  if (start == starts.end() || start->id != id) return {};
  const auto is_other = [&](const FlowEnd& flow) {
    return flow.id == id &&
           trace_.threads.process(flow.thread) != trace_.threads.process(start->thread);
  };
  if ((start != starts.begin() && is_other(*(start - 1))) ||
      (start + 1 != starts.end() && is_other(*(start + 1))))
    return {.ambiguous = true};
  const uint32_t python = python_threads_[start->thread];
  uint32_t slice = nesting_.innermost(python, start->time);
  if (slice == kNoNumber) slice = nesting_.innermost(start->thread, start->time);
  return {slice, start->time};
}

Launch Launches::by_external_id(const Work& work) const {
  if (work.external_id == kNoId || work.external_id == 0) return {};
  return latest(operators_, work.external_id, work);
}

}  // namespace aiflame::trace
