// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/launches.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace aiflame::trace {
namespace {

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

Launches::Launches(const Trace& trace, const Nesting& nesting)
    : trace_(trace),
      nesting_(nesting),
      calls_(by_id(trace, [](const Slice& slice) { return slice.kind == Kind::runtime; })),
      operators_(by_id(
          trace,
          [](const Slice& slice) { return slice.kind == Kind::op || slice.kind == Kind::range; })),
      starts_(trace.launches.starts.begin(), trace.launches.starts.end()),
      ends_(trace.launches.ends.begin(), trace.launches.ends.end()) {
  const auto by_flow_id = [](const FlowEnd& a, const FlowEnd& b) {
    return std::tie(a.id, a.time, a.thread) < std::tie(b.id, b.time, b.thread);
  };
  const auto by_place = [](const FlowEnd& a, const FlowEnd& b) {
    return std::tie(a.thread, a.time, a.id) < std::tie(b.thread, b.time, b.id);
  };
  std::sort(starts_.begin(), starts_.end(), by_flow_id);
  std::sort(ends_.begin(), ends_.end(), by_place);
}

Launch Launches::find(const Work& work) const {
  Launch launch = by_correlation(work);
  if (launch.slice == kNoNumber) launch = by_flow(work);
  if (launch.slice == kNoNumber) launch = by_external_id(work);
  return launch;
}

Launch Launches::latest(const std::vector<uint32_t>& by_id, uint64_t id, int64_t time) const {
  const auto has_id = [&](uint32_t slice) { return trace_.slices[slice].id == id; };
  auto at = std::upper_bound(by_id.begin(), by_id.end(), std::make_pair(id, time),
                             [&](const std::pair<uint64_t, int64_t>& wanted, uint32_t slice) {
                               const Slice& one = trace_.slices[slice];
                               return wanted < std::make_pair(one.id, one.start);
                             });
  if (at != by_id.begin() && has_id(at[-1])) --at;
  return at == by_id.end() || !has_id(*at) ? Launch() : Launch{*at, trace_.slices[*at].start};
}

Launch Launches::by_correlation(const Work& work) const {
  // 0 is what a writer has that does not know it
  if (work.correlation == kNoId || work.correlation == 0) return {};
  return latest(calls_, work.correlation, work.start);
}

Launch Launches::by_flow(const Work& work) const {
  uint64_t id = work.correlation;
  const auto end = std::lower_bound(
      ends_.begin(), ends_.end(), work, [](const FlowEnd& flow, const Work& wanted) {
        return std::tie(flow.thread, flow.time) < std::tie(wanted.track, wanted.start);
      });
  if (end != ends_.end() && end->thread == work.track && end->time == work.start) id = end->id;
  if (id == kNoId) return {};
  auto start =
      std::lower_bound(starts_.begin(), starts_.end(), id,
                       [](const FlowEnd& flow, uint64_t wanted) { return flow.id < wanted; });
  Launch launch;
  for (; start != starts_.end() && start->id == id; ++start) {
    if (launch.slice != kNoNumber && start->time > work.start) break;
    launch = {nesting_.innermost(start->thread, start->time), start->time};
  }
  return launch;
}

Launch Launches::by_external_id(const Work& work) const {
  if (work.external_id == kNoId || work.external_id == 0) return {};
  return latest(operators_, work.external_id, work.start);
}

}  // namespace aiflame::trace
