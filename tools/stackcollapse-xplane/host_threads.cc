// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/host_threads.h"

#include <algorithm>
#include <tuple>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-xplane/host_frames.h"

namespace aiflame::xplane {
namespace {

// Calls times threads that are looked at to find whose call it was: some ten seconds.
constexpr uint64_t kMostSearches = uint64_t{1} << 28;

// What the other threads did when a call was made.
struct Others {
  uint32_t several = 0, several_operators = 0;
  DeepStack any, of_operator;
};

// XLA's profiler writes most lists in order.
template <typename Items, typename Before>
void sort_if_needed(Items& items, const Before& before) {
  if (!std::is_sorted(items.begin(), items.end(), before))
    std::stable_sort(items.begin(), items.end(), before);
}

}  // namespace

bool is_host_plane(std::string_view name) {
  return name.starts_with("/host:") && name != "/host:metadata" && !name.starts_with("/host:__");
}

void HostThreads::read(const Plane& plane) {
  HostFrames frames(plane, settings_.import.names, stacks_);
  for (const Line& line : plane.lines()) {
    const auto thread = static_cast<uint32_t>(threads_.size());
    ThreadMarks& marks = threads_.emplace_back();
    plane.each_event(line, [&](const Event& event) {
      const auto time = find_interval(times_, line, event, stacks_);
      if (!time) return;
      const int64_t begin = time->begin / kPicoseconds, end = time->end / kPicoseconds;
      const Facts& facts = event.facts;
      if (facts.step) steps_.add(begin, end, stacks_.frame("step " + std::to_string(*facts.step)));
      if (facts.correlation)
        calls_.push_back({*facts.correlation, begin, thread, frames.of(event.called),
                          facts.hlo_op.empty() ? kNone : stacks_.frame(facts.hlo_op)});
      else
        marks.add(begin, end, frames.of(event.called));
    });
  }
}

void HostThreads::find_own_threads() {
  for (size_t begin = 0, end = 0; begin < calls_.size(); begin = end) {
    ThreadMarks::Walk walk(threads_[calls_[begin].thread], stacks_);
    for (end = begin; end < calls_.size() && calls_[end].thread == calls_[begin].thread; ++end)
      calls_[end].stack = walk.stack_at(calls_[end].begin);
  }
}

// Of the threads that did something at the time of the call, it is the one whose innermost mark is
// the operator's; or the only one. Otherwise it is not known whose call it was.
void HostThreads::find_other_threads() {
  std::vector<Call*> alone;
  for (Call& call : calls_)
    if (call.stack.stack == ImportedStacks::kEmpty) alone.push_back(&call);
  if (!alone.empty() && threads_.size() > kMostSearches / alone.size())
    throw Error("too many calls beside too many threads");
  sort_if_needed(alone, [](const Call* a, const Call* b) { return a->begin < b->begin; });
  std::vector<Others> others(alone.size());
  for (const ThreadMarks& marks : threads_) {
    if (marks.empty()) continue;
    ThreadMarks::Walk walk(marks, stacks_);
    for (size_t i = 0; i < alone.size(); ++i) {
      const DeepStack stack = walk.stack_at(alone[i]->begin);
      if (stack.stack == ImportedStacks::kEmpty) continue;
      ++others[i].several;
      others[i].any = stack;
      if (stacks_.frame_of(stack.stack) != alone[i]->hlo_op) continue;
      ++others[i].several_operators;
      others[i].of_operator = stack;
    }
  }
  const DeepStack unknown = DeepStack{}.on_top(stacks_.frame("[unknown thread]"), stacks_);
  for (size_t i = 0; i < alone.size(); ++i)
    alone[i]->stack = others[i].several_operators == 1 ? others[i].of_operator
                      : others[i].several == 1         ? others[i].any
                                                       : unknown;
}

// XLA numbers calls as they begin. A map by number has no order, and a cache miss at each call.
void HostThreads::add_launches() {
  sort_if_needed(calls_, [](const Call& a, const Call& b) { return a.begin < b.begin; });
  launches_.reserve(calls_.size());
  ThreadMarks::Walk steps(steps_, stacks_);
  for (const Call& call : calls_) {
    uint32_t stack = call.stack.stack;  // empty where no frames of the host are wanted
    if (settings_.frames.runtime) stack = stacks_.child(stack, call.frame);
    launches_.push_back(
        {call.correlation, stack, steps.stack_at(call.begin).stack, call.stack.is_truncated()});
  }
  sort_if_needed(launches_,
                 [](const Launch& a, const Launch& b) { return a.correlation < b.correlation; });
  // of several calls of one number nobody knows which launched
  auto kept = launches_.begin();
  for (auto one = launches_.begin(); one != launches_.end(); ++one) {
    if (kept != launches_.begin() && (kept - 1)->correlation == one->correlation) {
      if ((kept - 1)->stack != one->stack)
        (kept - 1)->stack = stacks_.child(ImportedStacks::kEmpty, "[ambiguous launch]");
    } else {
      *kept++ = *one;
    }
  }
  launches_.erase(kept, launches_.end());
}

void HostThreads::finish() {
  steps_.sort();
  if (settings_.frames.host) {
    for (ThreadMarks& marks : threads_) marks.sort();
    sort_if_needed(calls_, [](const Call& a, const Call& b) {
      return std::tie(a.thread, a.begin) < std::tie(b.thread, b.begin);
    });
    find_own_threads();
    find_other_threads();
  }
  threads_ = {};
  add_launches();
  calls_ = {};
}

const HostThreads::Launch* HostThreads::find(uint64_t correlation) {
  if (next_ == launches_.size() || launches_[next_].correlation != correlation)
    next_ = static_cast<size_t>(std::lower_bound(launches_.begin(), launches_.end(), correlation,
                                                 [](const Launch& launch, uint64_t wanted) {
                                                   return launch.correlation < wanted;
                                                 }) -
                                launches_.begin());
  if (next_ == launches_.size() || launches_[next_].correlation != correlation) return nullptr;
  return &launches_[next_++];
}

}  // namespace aiflame::xplane
