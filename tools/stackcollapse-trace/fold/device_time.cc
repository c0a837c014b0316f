// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/device_time.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/import/imported_names.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-trace/keep/collective.h"

namespace aiflame::trace {

void DeviceTime::fold() {
  for (size_t i = 0; i < trace_.work.size(); ++i) fold(i);
  if (ambiguous_ == 0) return;
  warn(
      "%s: the launches of %llu kernels, copies and memsets cannot be told: ranks that were "
      "merged into one file have the same correlation numbers",
      trace_.path.c_str(), static_cast<unsigned long long>(ambiguous_));
  hint("fold the file of each rank");
}

void DeviceTime::fold(size_t number) {
  const Work& work = trace_.work[number];
  if (devices_ == nullptr) {
    stacks_.read(work.duration);
    return add(number, work.duration, 1, "");
  }
  const WorkTime time{work.duration, devices_->owned(number), devices_->work_class(number)};
  add_work(time, settings_.timeline, stacks_,
           [&](std::string_view mark, uint64_t part, uint64_t records) {
             add(number, part, records, mark);
           });
}

void DeviceTime::add(size_t number, uint64_t time, uint64_t records, std::string_view mark) {
  const Work& work = trace_.work[number];
  const Launch launch = launches_.find(work);
  const bool launched = launch.slice != kNoNumber;
  const auto model_stacks = trace_.model_stacks.find(number);
  host_.set(launch.slice, launch.time,
            model_stacks == trace_.model_stacks.end() ? kNoNumber : model_stacks->second);
  if (launched && !host_.has_python())
    stacks_.part("launched without a Python function", time, records);
  if (launched && host_.is_truncated()) stacks_.part(kDeeper, time, records);
  find_root_ranges(work, launched);
  uint32_t stack = roots_.stack(work.start, work.track, ranges_);
  stack = roots_.with_spans(stack, launched ? launch.time : work.start);
  if (!mark.empty()) stack = stacks_.child(stack, mark);
  if (launched) {
    const Slice& call = trace_.slices[launch.slice];
    stack = host_.append_to(roots_.with_process(stack, call.thread));
    if (call.graph || work.graph != 0) stack = with_capture(stack, number, time);
    if (!settings_.inductor.empty() && host_.is_compiled() && !host_.has_model_lines())
      stacks_.part("of compiled code without the model's lines", time);
  } else if (launch.ambiguous) {
    ambiguous_ += records;
    stacks_.part("with a launch in several processes", time, records);
    stack = stacks_.child(stack, "[ambiguous launch]");
  } else if (work.stack == ImportedStacks::kEmpty) {
    stacks_.part("without a launch", time, records);
    stack = stacks_.child(stack, "[unknown launch]");
  }
  stack = stacks_.append(stack, work.stack);
  stack = stacks_.child(stacks_.child(stack, "-"), work.frame);
  const uint32_t collective = collective_frame(work);
  if (collective != kNoNumber) stack = stacks_.child(stack, collective);
  stacks_.add(stack, time, records);
}

// The mark of a graph, and the stack on which the kernel was captured, from the frame on where it
// parts with the replay's.
uint32_t DeviceTime::with_capture(uint32_t stack, size_t number, uint64_t time) {
  stack = stacks_.child(stack, kCudaGraph);
  if (!graphs_.replays.knows(number)) {
    const CompiledChoice compiled = graphs_.compiled.choice_of(number);
    if (!compiled.empty()) return host_.append_compiled(stack, compiled);
    if (!settings_.graph_names.empty()) {
      stacks_.part("in replays of graphs whose capture is not known", time);
      return stack;
    }
    const uint32_t layer = graphs_.layers.frame_of(number);
    if (layer == kNoNumber) return stack;
    stacks_.part("in layers that the order of kernels suggests", time);
    return stacks_.child(stack, layer);
  }
  return graphs_.replays.add_captured(stack, number, host_.append_to(ImportedStacks::kEmpty),
                                      stacks_);
}

// What has no launch has the ranges that its device shows.
void DeviceTime::find_root_ranges(const Work& work, bool launched) {
  ranges_ = host_.root_ranges();
  const bool has_roots =
      settings_.by_step || !settings_.root_ranges.empty() || settings_.import.by_range.is_set();
  if (launched || !has_roots) return;
  for (uint32_t at = nesting_.innermost(work.track, work.start); at != kNoNumber;
       at = trace_.slices[at].parent) {
    const Slice& slice = trace_.slices[at];
    if (slice.end <= work.start) continue;
    if (host_.use_of(slice) == RangeUse::root)
      ranges_.ranges.insert(ranges_.ranges.begin(), slice.frame);
    // the outermost one is the last
    if (const uint32_t instance = host_.instance_of(at); instance != kNoNumber)
      ranges_.instance = instance;
  }
}

// Kernels of collectives have names like ncclDevKernel_Generic: what they do, and how much, is said
// by their arguments or by the operator that launched them.
uint32_t DeviceTime::collective_frame(const Work& work) {
  uint32_t number = work.collective;
  if (number == kNoNumber && work.kernel &&
      stacks_.text(work.frame).find("ccl") != std::string_view::npos)
    number = host_.collective();
  if (number == kNoNumber) return kNoNumber;
  const Collective& one = trace_.collectives[number];
  return stacks_.frame(device_frame(collective_text(trace_.texts.text(one.name), one.bytes)));
}

}  // namespace aiflame::trace
