// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/root_frames.h"

#include <algorithm>

#include "tools/stackcollapse-trace/keep/rank_scope.h"

namespace aiflame::trace {
namespace {

// The rank that a process or the trace names, or its file: "rank TP00", "rank 3",
// "worker7.pt.trace.json.gz", "all.json, file 2" of those that were added up to it.
std::string rank_text(const Trace& trace, uint32_t thread) {
  const std::string_view label = rank_label(trace.threads.process_text(thread));
  if (!label.empty()) return "rank " + std::string(label);
  const std::string_view file = trace.threads.file_text(thread);
  if (!trace.rank.empty() && file.empty()) return "rank " + trace.rank;
  std::string out = trace.path.substr(trace.path.rfind('/') + 1);
  if (!file.empty()) out.append(", file ").append(file);
  return out;
}

// "device 0, stream 7"
std::string track_text(const Trace& trace, uint32_t track) {
  const std::string thread(trace.threads.thread_text(track));
  return device_text(trace, trace.threads.process(track)) + ", " +
         (thread.starts_with("stream") ? "" : "stream ") + thread;
}

}  // namespace

std::string device_text(const Trace& trace, uint32_t device) {
  return "device " + std::string(trace.threads.process_text_of(device));
}

RootFrames::RootFrames(const Trace& trace, const TraceSettings& settings, ImportedStacks& stacks)
    : trace_(trace), settings_(settings), stacks_(stacks), spans_(trace, settings, stacks) {
  first_ = INT64_MAX;
  for (const Slice& slice : trace.slices) first_ = std::min(first_, slice.start);
  for (const Work& work : trace.work) first_ = std::min(first_, work.start);
}

uint32_t RootFrames::without_track(int64_t time, uint32_t thread, const RootRanges& ranges) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set())
    stack = stacks_.child(stack, settings_.by_time.name(static_cast<uint64_t>(time - first_)));
  if (ranges.instance != kNoNumber)
    stack = stacks_.child(stack, ranges.instance);
  else if (settings_.import.by_range.is_set())
    stack = stacks_.child(stack, settings_.import.by_range.outside());
  if (settings_.rank) stack = stacks_.child(stack, rank_text(trace_, thread));
  if (settings_.by_step && ranges.ranges.empty()) stack = stacks_.child(stack, "[no step]");
  for (const uint32_t range : ranges.ranges) stack = stacks_.child(stack, range);
  return stack;
}

uint32_t RootFrames::device_stack(int64_t time, uint32_t track, const RootRanges& ranges) {
  const uint32_t stack = without_track(time, track, ranges);
  if (!settings_.streams) return stack;
  return stacks_.child(stack, device_text(trace_, trace_.threads.process(track)));
}

uint32_t RootFrames::stack(int64_t time, uint32_t track, const RootRanges& ranges) {
  uint32_t stack = without_track(time, track, ranges);
  if (settings_.streams) stack = stacks_.child(stack, track_text(trace_, track));
  return stack;
}

uint32_t RootFrames::with_process(uint32_t stack, uint32_t thread) {
  const std::string_view name = trace_.threads.process_name(trace_.threads.process(thread));
  return name.empty() ? stack : stacks_.append(stack, stacks_.root(name));
}

}  // namespace aiflame::trace
