// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/collapse.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "tools/stackcollapse-trace/fold/cpu_time.h"
#include "tools/stackcollapse-trace/fold/device_time.h"
#include "tools/stackcollapse-trace/fold/idle_time.h"
#include "tools/stackcollapse-trace/fold/kernel_table.h"
#include "tools/stackcollapse-trace/fold/root_frames.h"
#include "tools/stackcollapse-trace/fold/span_time.h"
#include "tools/stackcollapse-trace/join/device_work.h"
#include "tools/stackcollapse-trace/join/recorded_launches.h"
#include "tools/stackcollapse-trace/keep/event_keeper.h"
#include "tools/stackcollapse-trace/read/event_reader.h"
#include "tools/stackcollapse-trace/read/kernel_details.h"

namespace aiflame::trace {
namespace {

Trace read_trace(const std::string& path, const TraceSettings& settings, ImportedStacks& stacks) {
  Trace trace;
  trace.path = input_name(path);
  FrameNames names(stacks, settings);
  EventKeeper keeper(trace, names, settings, stacks);
  const TraceFacts facts = read_events(path, {.shapes = settings.shapes, .strict = settings.strict},
                                       [&](const Event& event) { keeper.keep(event); });
  keeper.finish();
  for (GrowingArray<Slice>* slices : {&trace.slices, &trace.spans})
    names.tell_functions_apart(*slices);
  trace.many_modules = names.many_modules();
  if (facts.lost_events > 0) {
    stacks.read(0, facts.lost_events);
    stacks.lose("events that are not JSON", 0, facts.lost_events);
  }
  for (const bool negative : {false, true}) {
    const uint64_t lost = negative ? trace.negative_work : trace.unmeasured_work;
    if (lost == 0) continue;
    stacks.read(0, lost);
    stacks.lose(why_unmeasured(negative), 0, lost);
  }
  trace.rank = facts.rank;
  if (keeper.malformed() > 0)
    warn("%s: %llu events have no time, and are left out", trace.path.c_str(),
         static_cast<unsigned long long>(keeper.malformed()));
  return trace;
}

bool is_pytorch(const Trace& trace) {
  return !trace.is_onnx &&
         std::any_of(trace.slices.begin(), trace.slices.end(), [](const Slice& slice) {
           return slice.kind == Kind::op && slice.id != kNoId;
         });
}

// Compiled code whose lines the trace does not tell itself.
bool has_compiled_code(const Trace& trace) {
  return std::any_of(trace.slices.begin(), trace.slices.end(),
                     [](const Slice& one) { return one.part == CompilerPart::code; }) &&
         trace.model_stacks.empty();
}

// Says what a user may miss in the graph, and why it is not there.
void warn_of_gaps(const Trace& trace, const TraceSettings& settings) {
  const auto has = [&](Kind kind) {
    return std::any_of(trace.slices.begin(), trace.slices.end(),
                       [&](const Slice& slice) { return slice.kind == kind; });
  };
  if (trace.work.empty() && !settings.cpu) {
    warn("%s: has no kernels, copies or memsets", trace.path.c_str());
    if (has(Kind::op)) hint("--cpu shows the time of its operators");
  } else if (is_pytorch(trace) && !has(Kind::python)) {
    hint("%s has no Python functions: record it with with_stack=True", trace.path.c_str());
  }
  if (!trace.many_modules.empty())
    hint("%s has more than eight modules %s_N: --merge-modules draws them as one",
         trace.path.c_str(), printable(trace.many_modules).c_str());
  if (settings.inductor.empty() && has_compiled_code(trace))
    hint(
        "%s has code of torch.compile: record it with INDUCTOR_PROVENANCE=1 TORCH_TRACE=DIR, and "
        "--inductor DIR shows its kernels on the model's lines",
        trace.path.c_str());
  if (settings.root_category.empty() && std::any_of(trace.spans.begin(), trace.spans.end(),
                                                    [](const Slice& span) { return span.server; }))
    hint("--root-cat vllm-gaudi shows the batches of %s, which vLLM's server has marked",
         trace.path.c_str());
}

// Whether the spans are what is drawn: the user wants them, or there is nothing else.
bool draws_spans(const Trace& trace, const TraceSettings& settings) {
  return !settings.cpu &&
         (!settings.stack_categories.empty() || (trace.work.empty() && has_drawn_spans(trace)));
}

// The coverage stands before any idle figure that it could make wrong.
void say_device_times(const Trace& trace, const DevicesWork& devices,
                      const LaunchCoverage& coverage, const ImportedStacks& stacks) {
  if (!coverage.is_whole()) say("%s: %s", trace.path.c_str(), coverage_text(coverage).c_str());
  const std::string idle = coverage.tells_idle() ? "idle" : "not recorded";
  for (const DeviceWork& one : devices.devices()) {
    const std::string device = printable(device_text(trace, one.device));
    say("%s: %s: %s", trace.path.c_str(), device.c_str(),
        timeline_text(one.timeline, idle).c_str());
    if (!is_suspicious(one.timeline)) continue;
    const uint32_t longest = trace.work[one.works[one.timeline.longest]].frame;
    warn("%s: %s: %s", trace.path.c_str(), device.c_str(),
         suspicion_text(one.timeline, stacks.text(longest)).c_str());
  }
}

// The numbers of nodes stand in files of the same run alone.
void say_named_nodes(const Trace& trace, const NodeFrames& frames, const NodesNames& names) {
  if (names.empty() && frames.named() == 0) return;
  say("%s: %zu of %zu records of nodes of graphs have names", trace.path.c_str(), frames.named(),
      frames.nodes());
  if (frames.nodes() == 0)
    warn("%s: its kernels have no \"graph node id\", so the names of nodes have no use",
         trace.path.c_str());
  else if (frames.named() == 0)
    hint(
        "the names of nodes are of another run, or were written before the graphs were "
        "instantiated");
}

// What files count that are not the same is one unit, but has no name.
void add_event(const std::string& event, ImportedStacks& stacks) {
  const Quantity quantity{.event = event, .unit = std::string(kNanoseconds), .measured = true};
  stacks.quantity =
      stacks.quantity.is_known() ? common_quantity(stacks.quantity, quantity) : quantity;
}

}  // namespace

OtherFiles read_other_files(const TraceSettings& settings, ImportedStacks& stacks) {
  OtherFiles out;
  TraceSettings of_captures = settings;
  of_captures.import.by_range = {};  // what a capture marked is in no run
  for (const std::string& path : settings.inductor) out.compiled.read(path);
  if (!settings.inductor.empty() && out.compiled.kernels() == 0)
    warn("%s: has no compiled code", settings.inductor[0].c_str());
  else if (!settings.inductor.empty() && out.compiled.with_lines() == 0)
    hint("%s has no lines of the model: record it with INDUCTOR_PROVENANCE=1 TORCH_TRACE=DIR",
         settings.inductor[0].c_str());
  for (const std::string& path : settings.graph_names) {
    if (is_node_names(path)) {
      read_node_names(path, out.nodes);
      continue;
    }
    Trace trace = read_trace(path, settings, stacks);
    const Nesting nesting(trace);
    CompiledCalls compiled(trace, nesting, out.compiled, stacks);
    HostStacks host(trace, nesting, compiled, of_captures, stacks);
    const size_t before = out.captures.size();
    find_captures(trace, host, stacks, out.captures);
    if (out.captures.size() == before)
      warn("%s: has no capture of a graph (StreamBeginCapture)", trace.path.c_str());
  }
  return out;
}

void collapse(const std::string& path, const TraceSettings& settings, const OtherFiles& others,
              ImportedStacks& stacks) {
  if (is_kernel_details(path)) {
    add_event("gpu-time", stacks);
    return fold_kernel_table(path, settings, stacks);
  }
  Trace trace = read_trace(path, settings, stacks);
  if (draws_spans(trace, settings)) {
    add_event("wall-time", stacks);
    return fold_span_time(trace, settings, stacks);
  }
  add_event(settings.cpu ? "cpu-time" : "gpu-time", stacks);
  warn_of_gaps(trace, settings);
  const Nesting nesting(trace);
  CompiledCalls compiled(trace, nesting, others.compiled, stacks);
  HostStacks host(trace, nesting, compiled, settings, stacks);
  if (settings.cpu) return fold_cpu_time(trace, host, settings, stacks);
  const Launches launches(trace, nesting);
  const GraphWorks graph_works = works_of_graphs(trace, launches);
  const NodeFrames nodes(trace, others.nodes, settings.import.names, stacks);
  const Replays replays(trace, graph_works, others.captures, nodes, stacks);
  const CompiledReplays compiled_replays(trace, graph_works, compiled);
  const InferredLayers layers(trace, graph_works, settings.merge_modules, stacks);
  const GraphFrames graphs{replays, compiled_replays, layers};
  say_named_nodes(trace, nodes, others.nodes);
  const std::string aligned = replays.line();
  if (!aligned.empty()) say("%s: %s", trace.path.c_str(), aligned.c_str());
  if (!settings.timeline.needs_timeline())
    return DeviceTime(trace, nesting, launches, graphs, nullptr, host, settings, stacks).fold();
  const DevicesWork devices(trace, stacks);
  const LaunchCoverage coverage = count_recorded_launches(trace, launches, stacks);
  say_device_times(trace, devices, coverage, stacks);
  DeviceTime(trace, nesting, launches, graphs, &devices, host, settings, stacks).fold();
  if (settings.timeline.idle)
    fold_idle_time(trace, nesting, launches, replays, devices, coverage, host, settings, stacks);
}

}  // namespace aiflame::trace
