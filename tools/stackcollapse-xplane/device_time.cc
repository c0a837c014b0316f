// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/device_time.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/import/imported_names.h"
#include "tools/stackcollapse-xplane/deep_stack.h"
#include "tools/stackcollapse-xplane/nested_spans.h"

namespace aiflame::xplane {
namespace {

// Lines that XLA's profiler makes of others: they show the same time in other words. Their ids are
// 0xdeadbeef and the next ones.
constexpr uint64_t kFirstDerived = 0xdeadbeef, kLastDerived = kFirstDerived + 289;
constexpr std::string_view kDerived[] = {
    "Steps",       "Launch Stats", "Framework Name Scope", "Framework Ops", "XLA Modules",
    "Source code", "XLA Ops",
};

bool is_derived(const Line& line) {
  return (line.id >= kFirstDerived && line.id <= kLastDerived) ||
         std::find(std::begin(kDerived), std::end(kDerived), line.name) != std::end(kDerived);
}

bool is_tpu(const Plane& plane) {
  return plane.name().starts_with("/device:TPU");
}

constexpr uint32_t kNoFrame = UINT32_MAX;

// "%fusion.1 = bf16[8,128]{1,0} fusion(…)" is fusion.1.
std::string_view operator_name(const EventName& name) {
  std::string_view out = name.display_name.empty() ? name.name : name.display_name;
  out = out.substr(0, out.find(" = "));
  take_prefix(out, "%");
  return out;
}

// "Stream #7(Kernel)" is stream 7.
std::string stream_text(const Line& line) {
  std::string_view name = line.name;
  if (!take_prefix(name, "Stream #")) return ", " + std::string(name);
  return ", stream " + std::string(name.substr(0, name.find('(')));
}

}  // namespace

bool is_device_plane(std::string_view name) {
  return name.starts_with("/device:") && !name.starts_with("/device:CUSTOM:");
}

void DeviceTime::fold(const Plane& plane) {
  frames_.assign(plane.event_names().size(), kNoFrame);
  if (plane.dropped() > 0) {
    const uint64_t dropped = std::min<uint64_t>(plane.dropped(), UINT32_MAX);
    stacks_.read(0, dropped);
    stacks_.lose("traces that the profiler dropped", 0, dropped);
  }
  const bool has_streams =
      !is_tpu(plane) && !std::all_of(plane.lines().begin(), plane.lines().end(), is_derived);
  HostActivity steps(stacks_);
  for (const Line& line : plane.lines())
    if (settings_.by_step && line.name == "Steps")
      plane.each_event(line, [&](const Event& event) {
        const auto begin = times_.begin_of(line, event);
        if (begin && event.duration > 0)
          steps.add_range(0, *begin / kPicoseconds, (*begin + event.duration) / kPicoseconds,
                          stacks_.frame("step " + std::string(operator_name(event.called))));
      });
  steps.finish([](uint64_t) { return uint32_t{ImportedStacks::kEmpty}; });
  for (const Line& line : plane.lines()) {
    if (has_streams && !is_derived(line))
      fold_stream(plane, line, steps);
    else if (!has_streams && line.name == "XLA Ops")
      fold_operators(plane, line, steps);
    else if (!is_derived(line))
      lose_line(plane, line);
  }
}

uint32_t DeviceTime::root_of(const Plane& plane, const Line& line, int64_t begin, uint32_t step) {
  uint32_t out = roots_.stack_at(begin);
  if (settings_.by_step)
    out = step == ImportedStacks::kEmpty ? stacks_.child(out, "[no step]")
                                         : stacks_.append(out, step);
  if (settings_.streams) {
    std::string text = "device " + std::string(plane.name().substr(sizeof "/device:" - 1));
    if (!is_tpu(plane)) text += stream_text(line);
    out = stacks_.child(out, text);
  }
  return out;
}

uint32_t DeviceTime::stack_of(const Parts& parts) {
  const uint32_t number = parts_.number(parts);
  if (number < of_parts_.size()) return of_parts_[number];
  uint32_t out = stacks_.append(parts.root, parts.host);
  out = stacks_.append(out, parts.known);
  if (out != parts.root) out = stacks_.child(out, "-");
  of_parts_.push_back(stacks_.child(out, parts.frame));
  return of_parts_.back();
}

template <typename MakeText>
uint32_t DeviceTime::frame_of(const EventName& name, const MakeText& make_text) {
  uint32_t& frame = frames_[name.number];
  if (frame == kNoFrame) frame = stacks_.frame(make_text());
  return frame;
}

uint64_t DeviceTime::add(uint32_t stack, uint64_t picoseconds, bool has_source) {
  const uint64_t time = whole_.of(picoseconds);
  ++events_;
  stacks_.read(time);
  stacks_.add(stack, time);
  if (!has_source) stacks_.part("without a source line", time);
  return time;
}

void DeviceTime::fold_stream(const Plane& plane, const Line& line, const HostActivity& steps) {
  const uint32_t unknown = settings_.frames.host || settings_.frames.runtime
                               ? stacks_.child(ImportedStacks::kEmpty, "[unknown launch]")
                               : uint32_t{ImportedStacks::kEmpty};
  plane.each_event(line, [&](const Event& event) {
    const auto time = find_interval(times_, line, event, stacks_);
    if (!time) return;
    const uint32_t frame = frame_of(
        event.called, [&] { return kernel_frame(event.called.name, settings_.import.names); });
    const HostThreads::Launch* const launch =
        event.facts.correlation ? host_.find(*event.facts.correlation) : nullptr;
    const OperatorStacks::Known known = operators_.find(event.facts, "");
    uint32_t step = steps.at(0, 0, time->begin / kPicoseconds).what;
    if (step == ImportedStacks::kEmpty && launch != nullptr) step = launch->step;
    const uint32_t host = launch == nullptr ? unknown : launch->stack;
    const uint32_t root = root_of(plane, line, time->begin, step);
    const uint64_t length = add(stack_of({root, host, known.stack, frame}),
                                static_cast<uint64_t>(time->end - time->begin), known.has_source);
    if (launch == nullptr) stacks_.part("without a launch", length);
    if (launch != nullptr && launch->truncated) stacks_.part(kDeeper, length);
  });
}

void DeviceTime::fold_operators(const Plane& plane, const Line& line, const HostActivity& steps) {
  std::vector<Span> spans;
  std::vector<std::pair<uint32_t, bool>> tops;  // stack, and whether it has a source line
  plane.each_event(line, [&](const Event& event) {
    const auto time = find_interval(times_, line, event, stacks_);
    if (!time) return;
    const std::string_view name = operator_name(event.called);
    const uint32_t frame = frame_of(event.called, [&] { return device_frame(name); });
    const OperatorStacks::Known known = operators_.find(event.facts, name);
    const uint32_t step = steps.at(0, 0, time->begin / kPicoseconds).what;
    spans.push_back(
        {.begin = time->begin, .end = time->end, .frame = static_cast<uint32_t>(tops.size())});
    tops.emplace_back(stack_of({root_of(plane, line, time->begin, step), ImportedStacks::kEmpty,
                                known.stack, frame}),
                      known.has_source);
  });
  nest(spans);
  for (const Span& one : spans) add(tops[one.frame].first, one.own, tops[one.frame].second);
}

// On a TPU: copies that run beside the operators, and sparse cores.
void DeviceTime::lose_line(const Plane& plane, const Line& line) {
  plane.each_event(line, [&](const Event& event) {
    const auto time = find_interval(times_, line, event, stacks_);
    if (!time) return;
    const uint64_t length = whole_.of(static_cast<uint64_t>(time->end - time->begin));
    stacks_.read(length);
    stacks_.lose("work beside the line XLA Ops", length);
  });
}

}  // namespace aiflame::xplane
