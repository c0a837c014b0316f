// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/xla.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/xla_names.h"
#include "tools/stackcollapse-trace/keep/unnamed_devices.h"

namespace aiflame::trace {
namespace {

// What is on a track of a device. Others repeat the same time in other words: "XLA Modules",
// "Steps", "Framework Ops", "Source code".
enum class Track : uint8_t { repeated, operators, stream };

Track track_of(std::string_view name) {
  if (name.starts_with("Stream")) return Track::stream;
  if (name == "XLA Ops") return Track::operators;
  return Track::repeated;
}

// By thread: whether its events are work of a device, and are to be counted. A GPU has streams, and
// its "XLA Ops" repeat them; a TPU has "XLA Ops" alone.
struct DeviceTracks {
  std::vector<bool> device, counted;
};

DeviceTracks find_tracks(const Trace& trace) {
  const uint32_t threads = static_cast<uint32_t>(trace.threads.size());
  DeviceTracks out{std::vector<bool>(threads), std::vector<bool>(threads)};
  std::vector<bool> has_streams;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const uint32_t process = trace.threads.process(thread);
    out.device[thread] = trace.threads.process_name(process).starts_with("/device:");
    if (has_streams.size() <= process) has_streams.resize(process + 1);
    if (track_of(trace.threads.thread_name(thread)) == Track::stream) has_streams[process] = true;
  }
  for (uint32_t thread = 0; thread < threads; ++thread) {
    const Track track = track_of(trace.threads.thread_name(thread));
    out.counted[thread] = out.device[thread] &&
                          (track == Track::stream || (track == Track::operators &&
                                                      !has_streams[trace.threads.process(thread)]));
  }
  return out;
}

// An operator's time is without those that it holds: a while loop is on the same track as its body.
void take_own_times(Work* begin, Work* end) {
  std::sort(begin, end, [](const Work& a, const Work& b) {
    return std::make_tuple(a.track, a.start, UINT64_MAX - a.duration, a.frame, a.stack) <
           std::make_tuple(b.track, b.start, UINT64_MAX - b.duration, b.frame, b.stack);
  });
  struct Open {
    Work* work;
    int64_t end;
  };
  std::vector<Open> open;
  for (Work* work = begin; work != end; ++work) {
    while (!open.empty() &&
           (open.back().work->track != work->track || open.back().end <= work->start))
      open.pop_back();
    const int64_t work_end = work->end();
    if (!open.empty() && work_end <= open.back().end) {
      Work& outer = *open.back().work;
      const uint64_t inner = std::min(outer.duration, work->duration);
      outer.duration -= inner;
      outer.inner += inner;
    }
    open.push_back({work, work_end});
  }
}

Work work_of(const Uncategorised& one, const Trace& trace) {
  Work work;
  work.start = one.slice.start;
  work.duration = static_cast<uint64_t>(one.slice.end - one.slice.start);
  work.correlation = one.slice.id;
  work.track = one.slice.thread;
  work.frame = one.device_frame;
  work.stack = one.stack;
  work.copy = is_unnamed_copier(trace, work.track);
  work.kernel = !work.copy;
  return work;
}

void add_work(const Uncategorised& one, Trace& trace) {
  if (one.slice.unmeasured)
    ++(one.slice.negative ? trace.negative_work : trace.unmeasured_work);
  else
    trace.work.push_back(work_of(one, trace));
}

}  // namespace

uint32_t xla_stack(const Event& event, ImportedStacks& stacks) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (!event.text(TextArg::hlo_module).empty())
    stack = stacks.child(stack, module_frame(event.text(TextArg::hlo_module)));
  std::string_view path = event.text(TextArg::name);
  if (path.empty()) path = event.text(TextArg::tf_op);
  if (path.ends_with(':')) path.remove_suffix(1);
  if (path.empty()) path = event.text(TextArg::hlo_op);
  return with_operator_path(stack, path, stacks);
}

uint32_t xla_host_frame(std::string_view name, const NameRules& rules, Kind& kind,
                        ImportedStacks& stacks) {
  const std::string python = xla_python_frame(name, rules);
  if (python.empty()) return stacks.frame(name);
  kind = Kind::python;
  return stacks.frame(python);
}

void sort_out_unnamed(Trace& trace) {
  if (trace.uncategorised.empty()) return;
  const DeviceTracks tracks = find_tracks(trace);
  for (const Uncategorised& one : trace.uncategorised)
    if (is_unnamed_device(trace, one.slice.thread)) add_work(one, trace);
  const size_t first = trace.work.size();
  for (const Uncategorised& one : trace.uncategorised) {
    const Slice& slice = one.slice;
    if (is_unnamed_device(trace, slice.thread)) continue;
    if (!tracks.device[slice.thread]) {
      // of the host only what may be a launch, or what stands below one
      if (trace.is_rocprof) {
        trace.slices.push_back(slice);
        trace.slices[trace.slices.size() - 1].kind = Kind::runtime;
        trace.slices[trace.slices.size() - 1].sequence = kNoId;
        continue;
      }
      if (slice.kind != Kind::plain || slice.id != kNoId) trace.slices.push_back(slice);
      continue;
    }
    if (tracks.counted[slice.thread]) add_work(one, trace);
  }
  take_own_times(trace.work.begin() + first, trace.work.end());
  trace.uncategorised = {};
}

}  // namespace aiflame::trace
