// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/event_keeper.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/import/compiled_code.h"
#include "tools/stackcollapse-trace/keep/collective.h"
#include "tools/stackcollapse-trace/keep/hpu.h"
#include "tools/stackcollapse-trace/keep/shapes.h"
#include "tools/stackcollapse-trace/keep/unitrace.h"
#include "tools/stackcollapse-trace/keep/unnamed_devices.h"
#include "tools/stackcollapse-trace/keep/xla.h"
#include "tools/stackcollapse-trace/read/event_numbers.h"

namespace aiflame::trace {
namespace {

constexpr int64_t kLatest = (int64_t{1} << 62) - 1;

bool is_time(const std::optional<int64_t>& time) {
  return time && *time >= -kLatest && *time <= kLatest;
}

// The time when an event ends: hostile durations end with time itself.
int64_t end_of(int64_t start, uint64_t duration) {
  return duration > static_cast<uint64_t>(kLatest - start) ? kLatest
                                                           : start + static_cast<int64_t>(duration);
}

// "/tmp/torchinductor_u/ap/capby7….py:98" → 98: where a wrapper of Inductor's calls a function.
uint64_t line_of_wrapper(std::string_view place) {
  const size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || compiled_file(place.substr(0, colon)).empty())
    return kNoId;
  return parse_number<uint64_t>(place.substr(colon + 1)).value_or(kNoId);
}

// `slice.start` is known.
void set_end(const Event& event, Slice& slice) {
  slice.end = end_of(slice.start, event.duration.value_or(0));
  slice.unmeasured = event.phase == 'X' && !event.duration;
  slice.negative = slice.unmeasured && event.negative;
}

bool launches_graph(std::string_view name) {
  return name.find("GraphLaunch") != std::string_view::npos;
}

}  // namespace

void EventKeeper::keep(const Event& event) {
  scope_.take(event);
  if (event.phase == 'M') return keep_metadata(event);
  if (event.phase == 'C') return spans_.look_at(event);
  const auto& [what, use] = meaning(event);
  if (event.phase == 's' || event.phase == 'f' || event.phase == 't') {
    if (what == Role::launch_flow) keep_flow(event, trace_.launches);
    if (what == Role::host_flow) keep_flow(event, trace_.host_launches);
    if (what == Role::forward_flow) keep_flow(event, trace_.forward);
    return;
  }
  if (event.phase == 'X' || event.phase == 'B') {
    if (event.phase == 'B') begin(event);
    if (use.drawn || use.root) keep_span(event, what, use);
    keep_complete(event, what);
  }
  if (event.phase == 'E') end(event);
}

void EventKeeper::keep_complete(const Event& event, Role what) {
  switch (what) {
    case Role::range:
      return keep_slice(event, Kind::range);
    case Role::python:
      return keep_slice(event, Kind::python);
    case Role::op:
      // some versions of PyTorch write steps twice
      if (event.name.starts_with("ProfilerStep#")) return keep_slice(event, Kind::range);
      return keep_slice(event, is_driver_call(event.name) ? Kind::runtime : Kind::op);
    case Role::runtime:
      if (is_hpu_work(event)) return keep_work(event, Role::kernel);
      return keep_slice(event, Kind::runtime);
    case Role::kernel:
    case Role::copy:
    case Role::fill:
      return keep_work(event, what);
    case Role::device_range:
      return keep_device_range(event);
    case Role::unnamed:
      return keep_unnamed(event);
    case Role::unknown:
      return keep_onnx(event);
    case Role::skipped:
    case Role::launch_flow:
    case Role::host_flow:
    case Role::forward_flow:
      return;
  }
}

const EventKeeper::Meaning& EventKeeper::meaning(const Event& event) {
  bool added = false;
  const uint32_t category = categories_.number(event.category, &added);
  if (added) {
    const Role role = role_of(event.category);
    meanings_.push_back({role, spans_.use_of(event.category, role != Role::unknown)});
  }
  return meanings_[category];
}

// The frame of a span, in the form of what it is to PyTorch.
uint32_t EventKeeper::frame_of(const Event& event, Role role) {
  Kind kind = Kind::plain;
  switch (role) {
    case Role::kernel:
      return names_.kernel(event.name);
    case Role::copy:
    case Role::fill:
      return names_.device(event.name);
    case Role::python:
      kind = Kind::python;
      break;
    case Role::op:
      kind = Kind::op;
      break;
    case Role::range:
    case Role::device_range:
      kind = Kind::range;
      break;
    default:
      break;
  }
  return names_.host(kind, event.name).frame;
}

void EventKeeper::keep_span(const Event& event, Role role, const SpanUse& use) {
  if (!is_time(event.start)) {
    if (role == Role::unknown) ++malformed_;  // others are counted as what else they are
    return;
  }
  Slice span;
  span.start = *event.start;
  set_end(event, span);
  span.thread = thread_of(event);
  span.frame = frame_of(event, role);
  mark_span(span, use);
  add(event, span, trace_.spans);
}

void EventKeeper::keep_slice(const Event& event, Kind kind) {
  if (!is_time(event.start)) {
    ++malformed_;
    return;
  }
  Slice slice;
  slice.start = *event.start;
  set_end(event, slice);
  slice.thread = thread_of(event);
  std::string_view name = event.name;
  if (kind == Kind::op && settings_.shapes) {
    const std::string shapes = shapes_text(event.text(TextArg::shapes));
    name_.assign(name).append(shapes.empty() ? "" : " ").append(shapes);
    const std::string_view type = data_type(event.text(TextArg::types));
    if (!shapes.empty() && !type.empty()) name_.append(" ").append(type);
    name = name_;
  }
  slice.kind = kind;
  const FrameNames::Host host = names_.host(slice.kind, name);
  slice.frame = host.frame;
  slice.part = host.part;
  switch (slice.kind) {
    case Kind::python:
    case Kind::module:
      slice.id = event.number(NumberArg::python_id);
      slice.python_parent = static_cast<uint32_t>(event.number(NumberArg::python_parent));
      slice.sequence = line_of_wrapper(event.text(TextArg::call_from));
      break;
    case Kind::op:
    case Kind::range: {
      slice.id = scope_.scoped(event.number(NumberArg::external_id));
      slice.sequence = event.number(NumberArg::sequence);
      // forward operators have 0 or none
      const uint64_t forward = event.number(NumberArg::forward_thread);
      slice.backward = forward != kNoId && forward != 0;
      slice.collective = collective_of(event);
      break;
    }
    case Kind::runtime:
      slice.id = scope_.scoped(event.number(NumberArg::correlation));
      if (slice.id == kNoId) slice.id = hpu_correlation(event, trace_);
      slice.graph = launches_graph(event.name);
      if (const std::string& kernel = event.text(TextArg::kernel); !kernel.empty())
        slice.sequence = names_.kernel(kernel);
      break;
    case Kind::forward:
    case Kind::plain:
      break;
  }
  add(event, slice, trace_.slices);
}

void EventKeeper::add(const Event& event, const Slice& slice, GrowingArray<Slice>& slices) {
  slices.push_back(slice);
  latest_ = std::max(latest_, slice.end);
  if (event.phase != 'B') return;
  if (slice.kind == Kind::plain) slices[slices.size() - 1].sequence = slices.size();
  Begun& begun = begun_[slice.thread].back();
  (&slices == &trace_.spans ? begun.span : begun.slice) = slices.size() - 1;
}

// Whatever becomes of it: the next end on its thread is its own.
void EventKeeper::begin(const Event& event) {
  const uint32_t thread = thread_of(event);
  if (begun_.size() <= thread) begun_.resize(thread + 1);
  begun_[thread].emplace_back();
}

// {"ph":"E"} ends what began last on its thread.
void EventKeeper::end(const Event& event) {
  const uint32_t thread = thread_of(event);
  if (!is_time(event.start) || thread >= begun_.size() || begun_[thread].empty()) return;
  end(begun_[thread].back(), *event.start);
  begun_[thread].pop_back();
  latest_ = std::max(latest_, *event.start);
}

void EventKeeper::end(const Begun& begun, int64_t time) {
  const auto end_slice = [&](Slice& slice) { slice.end = std::max(slice.start, time); };
  if (begun.slice != Begun::kNot) end_slice(trace_.slices[begun.slice]);
  if (begun.span != Begun::kNot) end_slice(trace_.spans[begun.span]);
  if (begun.uncategorised != Begun::kNot)
    end_slice(trace_.uncategorised[begun.uncategorised].slice);
  if (begun.work == Begun::kNot) return;
  Work& work = trace_.work[begun.work];
  work.duration = static_cast<uint64_t>(std::max(work.start, time) - work.start);
}

void EventKeeper::keep_unnamed(const Event& event) {
  if (!is_time(event.start)) {
    ++malformed_;
    return;
  }
  spans_.look_at(event);
  Uncategorised one;
  Slice& slice = one.slice;
  slice.start = *event.start;
  set_end(event, slice);
  slice.thread = thread_of(event);
  slice.id = event.number(NumberArg::correlation);
  slice.kind = slice.id != kNoId ? Kind::runtime : Kind::plain;
  if (event.process == kAutogradHost) {
    slice.kind = Kind::op;
    slice.frame = names_.host(slice.kind, event.name).frame;
  } else {
    slice.frame = xla_host_frame(event.name, settings_.import.names, slice.kind, stacks_);
  }
  // exact, where the event itself has whole microseconds
  if (const uint64_t exact = event.number(NumberArg::duration_ns); exact != kNoId)
    slice.end = end_of(slice.start, exact);
  one.device_frame = names_.kernel(event.name);
  one.stack = xla_stack(event, stacks_);
  trace_.uncategorised.push_back(one);
  latest_ = std::max(latest_, slice.end);
  if (event.phase != 'B') return;
  const size_t place = trace_.uncategorised.size() - 1;
  if (slice.kind == Kind::plain) trace_.uncategorised[place].slice.sequence = place;
  begun_[slice.thread].back().uncategorised = place;
}

void EventKeeper::finish() {
  // what has not ended lasts as long as the trace
  for (const std::vector<Begun>& thread : begun_)
    for (const Begun& begun : thread) end(begun, latest_);
  spans_.finish();
  sort_out_unnamed(trace_);
}

void EventKeeper::keep_work(const Event& event, Role role) {
  if (!is_time(event.start)) {
    stacks_.read(event.duration.value_or(0));
    stacks_.lose("without a time", event.duration.value_or(0));
    return;
  }
  if (!event.duration && event.phase == 'X') {
    stacks_.read(0);
    stacks_.lose(why_unmeasured(event.negative), 0);
    return;
  }
  Work work;
  work.start = *event.start;
  work.duration = event.duration.value_or(0);
  work.track = thread_of(event);
  work.correlation = event.number(NumberArg::correlation);
  // unitrace
  if (work.correlation == kNoId) work.correlation = event.number(NumberArg::id);
  work.correlation = scope_.scoped(work.correlation);
  if (onnx_.any() && work.correlation == kNoId)
    work.external_id = onnx_.node_of(event);
  else
    work.external_id = scope_.scoped(event.number(NumberArg::external_id));
  if (is_hpu_work(event)) {
    work.stack = hpu_stack(event, stacks_);
    if (work.correlation == kNoId) work.correlation = hpu_correlation(event, trace_);
  }
  work.kernel = role == Role::kernel;
  work.copy = role == Role::copy;
  work.frame =
      work.kernel ? names_.kernel(unitrace_device_name(event.name)) : names_.device(event.name);
  // numbers of 32 bits
  const uint64_t graph = event.number(NumberArg::graph_id);
  if (graph != kNoId) work.graph = static_cast<uint32_t>(std::min<uint64_t>(graph, UINT32_MAX));
  work.collective = collective_of(event);
  if (const std::string& stacks = event.text(TextArg::stacks); !stacks.empty())
    trace_.model_stacks.emplace(trace_.work.size(), trace_.texts.number(stacks));
  keep_graph_node(event);
  trace_.work.push_back(work);
  if (event.phase == 'B') begun_[work.track].back().work = trace_.work.size() - 1;
}

// Some profilers write the whole id of a node, and some its lower half beside the graph's. 0: the
// work is of no graph.
void EventKeeper::keep_graph_node(const Event& event) {
  const uint64_t node = event.number(NumberArg::graph_node_id);
  if (node == kNoId || node == 0) return;
  const uint64_t graph = event.number(NumberArg::graph_id);
  GraphNode out{.work = trace_.work.size(), .id = node, .has_graph = node > UINT32_MAX};
  if (!out.has_graph && graph != kNoId && graph <= UINT32_MAX) {
    out.id |= graph << 32;
    out.has_graph = true;
  }
  if (const std::string& mark = event.text(TextArg::name); !mark.empty())
    out.mark = trace_.texts.number(mark);
  trace_.graph_nodes.push_back(out);
}

// They are spans as well: a file without kernels is drawn by those.
void EventKeeper::keep_onnx(const Event& event) {
  const bool node = is_onnx_node(event);
  if ((!node && !is_onnx_session(event)) || !is_time(event.start)) return;
  Slice slice;
  slice.start = *event.start;
  set_end(event, slice);
  slice.thread = thread_of(event);
  slice.kind = node ? Kind::op : Kind::plain;
  slice.frame = names_.host(slice.kind, onnx_node_name(event.name)).frame;
  if (node) slice.id = onnx_.add(event.name);
  trace_.is_onnx |= node;
  add(event, slice, trace_.slices);
}

void EventKeeper::keep_device_range(const Event& event) {
  if (!is_time(event.start)) return;
  Slice slice;
  slice.start = *event.start;
  set_end(event, slice);
  slice.thread = thread_of(event);
  slice.kind = Kind::range;
  slice.frame = names_.host(slice.kind, event.name).frame;
  slice.sequence = scope_.scoped(event.number(NumberArg::external_id));
  slice.of_device = true;
  add(event, slice, trace_.slices);
}

void EventKeeper::keep_flow(const Event& event, Flows& flows) {
  const uint64_t id = scope_.scoped(parse_flow_id(event.id));
  if (!is_time(event.start) || id == kNoId) return;
  const FlowEnd end{id, *event.start, thread_of(event)};
  (event.phase == 's' ? flows.starts : flows.ends).push_back(end);
}

void EventKeeper::keep_metadata(const Event& event) {
  const std::string& name = event.text(TextArg::name);
  if (event.name == "process_name" && is_rocprof_host(name)) trace_.is_rocprof = true;
  if (event.name == "process_name" && !name.empty())
    trace_.threads.process_name(trace_.threads.process_number(event.process, scope_.file())) = name;
  if (event.name == "thread_name" && !name.empty())
    trace_.threads.thread_name(thread_of(event)) = name;
}

uint32_t EventKeeper::collective_of(const Event& event) {
  const std::string_view name = collective_name(event);
  if (name.empty()) return kNoNumber;
  trace_.collectives.push_back({trace_.texts.number(name), message_bytes(event)});
  return static_cast<uint32_t>(trace_.collectives.size() - 1);
}

}  // namespace aiflame::trace
