// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/launches.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "libcommon/import/thread_ranges.h"

namespace aiflame::rocprof {
namespace {

void sort_by_time(std::vector<ApiCall>& calls) {
  std::sort(calls.begin(), calls.end(), [](const ApiCall& a, const ApiCall& b) {
    return std::tie(a.thread, a.time, a.correlation) < std::tie(b.thread, b.time, b.correlation);
  });
}

// Puts the ranges of the process's threads, or else those of the whole process, on the calls.
void enclose(const ProcessTrace& process, bool of_threads, const Settings& settings,
             const RangeRoots& roots, std::vector<ApiCall>& calls, ImportedStacks& stacks) {
  ThreadRanges ranges(stacks);
  for (const MarkedRange& one : process.ranges) {
    if ((one.thread != 0) != of_threads || roots.has(one)) continue;
    if (!(one.is_call ? settings.frames.runtime : settings.frames.range)) continue;
    ranges.add(one.thread, one.begin, one.end, range_stack_frame(process, one, stacks));
  }
  ranges.sort();
  ranges.enclose(calls);
}

// roctxRangeStart() and Stop() may be called by two threads: rocprofv3 writes thread 0, and the
// range encloses the calls of all threads.
void enclose_by_process(const ProcessTrace& process, const Settings& settings,
                        const RangeRoots& roots, std::vector<ApiCall>& calls,
                        ImportedStacks& stacks) {
  if (std::none_of(process.ranges.begin(), process.ranges.end(),
                   [](const MarkedRange& one) { return one.thread == 0; }))
    return;
  std::sort(calls.begin(), calls.end(),
            [](const ApiCall& a, const ApiCall& b) { return a.time < b.time; });
  std::vector<uint64_t> threads;
  for (ApiCall& call : calls) threads.push_back(std::exchange(call.thread, 0));
  enclose(process, false, settings, roots, calls, stacks);
  for (size_t i = 0; i < calls.size(); ++i) calls[i].thread = threads[i];
}

}  // namespace

uint32_t range_stack_frame(const ProcessTrace& process, const MarkedRange& range,
                           ImportedStacks& stacks) {
  const std::string_view name = process.texts.text(range.name);
  return stacks.frame(range.is_call ? std::string(name)
                                    : range_frame(name.empty() ? "[unnamed]" : name));
}

Launches::Launches(ProcessTrace& process, const Settings& settings, const RangeRoots& roots,
                   ImportedStacks& stacks)
    : settings_(settings), stacks_(stacks), name_(process.name), calls_(std::move(process.calls)) {
  for (ApiCall& call : calls_) call.stack = root(call.thread);
  enclose_by_process(process, settings, roots, calls_, stacks);
  sort_by_time(calls_);
  enclose(process, true, settings, roots, calls_, stacks);
  for (ApiCall& call : calls_) {
    const std::string_view name = process.texts.text(call.name);
    if (settings.frames.runtime) call.stack = stacks.child(call.stack, name);
    // the kernels of a graph have the id of its launch
    if (name.starts_with("hipGraphLaunch")) call.stack = stacks.child(call.stack, "[hip graph]");
  }
  std::sort(calls_.begin(), calls_.end(), [](const ApiCall& a, const ApiCall& b) {
    return std::tie(a.correlation, a.time) < std::tie(b.correlation, b.time);
  });
}

uint32_t Launches::root(uint64_t thread) const {
  uint32_t stack = stacks_.root(name_.empty() ? "[device]" : name_);
  if (settings_.threads)
    stack = stacks_.child(
        stack, thread == 0 ? "[unknown thread]" : "[thread " + std::to_string(thread) + "]");
  return stack;
}

const ApiCall* Launches::find(uint64_t correlation) const {
  const auto at =
      std::lower_bound(calls_.begin(), calls_.end(), correlation,
                       [](const ApiCall& a, uint64_t id) { return a.correlation < id; });
  if (at == calls_.end() || at->correlation != correlation) return nullptr;
  return &*at;
}

uint32_t Launches::unknown(uint64_t thread) const {
  return stacks_.child(root(thread), "[unknown launch]");
}

}  // namespace aiflame::rocprof
