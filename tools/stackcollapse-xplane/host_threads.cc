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
  std::stable_sort(alone.begin(), alone.end(),
                   [](const Call* a, const Call* b) { return a->begin < b->begin; });
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

void HostThreads::add_launch(const Call& call, uint32_t step) {
  uint32_t stack = call.stack.stack;  // empty where no frames of the host are wanted
  if (settings_.frames.runtime) stack = stacks_.child(stack, call.frame);
  const auto [at, added] =
      launches_.try_emplace(call.correlation, Launch{stack, step, call.stack.is_truncated()});
  if (!added && at->second.stack != stack)
    at->second.stack = stacks_.child(ImportedStacks::kEmpty, "[ambiguous launch]");
}

void HostThreads::finish() {
  steps_.sort();
  if (settings_.frames.host) {
    for (ThreadMarks& marks : threads_) marks.sort();
    std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
      return std::tie(a.thread, a.begin) < std::tie(b.thread, b.begin);
    });
    find_own_threads();
    find_other_threads();
  }
  threads_ = {};
  std::stable_sort(calls_.begin(), calls_.end(),
                   [](const Call& a, const Call& b) { return a.begin < b.begin; });
  launches_.reserve(calls_.size());
  ThreadMarks::Walk steps(steps_, stacks_);
  for (const Call& call : calls_) add_launch(call, steps.stack_at(call.begin).stack);
  calls_ = {};
}

const HostThreads::Launch* HostThreads::find(uint64_t correlation) const {
  const auto at = launches_.find(correlation);
  return at == launches_.end() ? nullptr : &at->second;
}

}  // namespace aiflame::xplane
