// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/host_calls.h"

#include <algorithm>

namespace aiflame::record {

void HostCalls::add(uint32_t pid, uint32_t tid, const Call& call) {
  if (call.end <= call.begin) return;
  auto known = threads_.find({pid, tid});
  if (known == threads_.end()) {
    if (!budgets_.take(Kept::runs, pid, kThreadBytes)) return;
    known = threads_.try_emplace({pid, tid}).first;
  }
  Thread& thread = known->second;
  // nearly always in order
  const bool is_latest = thread.calls.empty() || thread.calls.back().begin < call.begin;
  const auto next =
      is_latest
          ? thread.calls.end()
          : std::upper_bound(thread.calls.begin(), thread.calls.end(), call.begin,
                             [](uint64_t begin, const Call& other) { return begin < other.begin; });
  if (next != thread.calls.begin() && std::prev(next)->begin == call.begin) {
    if (std::prev(next)->end < call.end) *std::prev(next) = call;
    return;
  }
  if (thread.calls.size() >= kMostCalls || !budgets_.take(Kept::runs, pid, kCallBytes)) {
    // the oldest call makes room: the latest gaps are the ones to come
    if (next == thread.calls.begin()) {
      thread.known_from = std::max(thread.known_from, call.end);
      return;
    }
    const auto place = next - thread.calls.begin();
    thread.known_from = std::max(thread.known_from, thread.calls.front().end);
    thread.calls.pop_front();
    thread.calls.insert(thread.calls.begin() + (place - 1), call);
    return;
  }
  thread.calls.insert(next, call);
}

HostMoment HostCalls::at(uint32_t pid, uint32_t tid, uint64_t time) const {
  HostMoment out;
  const auto known = threads_.find({pid, tid});
  if (known == threads_.end()) {
    out.phase = HostPhase::runs;
    return out;
  }
  const Thread& thread = known->second;
  if (time < thread.known_from) {
    out.until = static_cast<int64_t>(thread.known_from);
    return out;
  }
  const auto next =
      std::upper_bound(thread.calls.begin(), thread.calls.end(), time,
                       [](uint64_t moment, const Call& call) { return moment < call.begin; });
  if (next != thread.calls.end()) out.until = static_cast<int64_t>(next->begin);
  out.phase = HostPhase::runs;
  auto at = next;
  for (int depth = 0; depth < kDeepest && at != thread.calls.begin(); ++depth) {
    --at;
    if (at->end <= time) continue;
    out.phase = at->phase;
    out.what = at->number;
    out.until = std::min(out.until, static_cast<int64_t>(at->end));
    break;
  }
  return out;
}

void HostCalls::forget_before(uint64_t time) {
  for (auto at = threads_.begin(); at != threads_.end();) {
    Thread& thread = at->second;
    const uint32_t pid = at->first.first;
    while (!thread.calls.empty() && thread.calls.front().end <= time) {
      thread.calls.pop_front();
      budgets_.give_back(Kept::runs, pid, kCallBytes);
    }
    if (!thread.calls.empty() || thread.known_from > time) {
      ++at;
      continue;
    }
    budgets_.give_back(Kept::runs, pid, kThreadBytes);
    at = threads_.erase(at);
  }
}

}  // namespace aiflame::record
