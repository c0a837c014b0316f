// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/draw.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/timeline/timeline_stacks.h"
#include "tools/stackcollapse-rocprof/device_frames.h"
#include "tools/stackcollapse-rocprof/device_timelines.h"
#include "tools/stackcollapse-rocprof/host_threads.h"
#include "tools/stackcollapse-rocprof/launches.h"

namespace aiflame::rocprof {
namespace {

// What all files together have.
struct Contents {
  bool work = false, host_trap = false, stochastic = false, pipes = false;
};

Contents contents_of(const RocprofTrace& trace) {
  Contents out;
  for (const auto& process : trace.processes) {
    out.work = out.work || !process->work.empty();
    for (uint32_t i = 0; i < process->samples.size(); ++i) {
      const uint32_t kind = process->place(i).kind;
      out.host_trap = out.host_trap || (kind & kHostTrap) != 0;
      out.stochastic = out.stochastic || (kind & kHostTrap) == 0;
      out.pipes = out.pipes || (kind & (kExposed | kUnexposed)) != 0;
    }
  }
  return out;
}

Event choose_event(Event asked, const Contents& contents) {
  const bool samples = contents.host_trap || contents.stochastic;
  switch (asked) {
    case Event::unset:
      if (contents.stochastic) return Event::stall;
      if (samples) return Event::clock;
      if (!contents.work) throw Error("the files have no kernels, copies or PC samples");
      return Event::time;
    case Event::time:
      if (!contents.work)
        throw Error("the files have no trace of kernels: see rocprofv3's --kernel-trace");
      return asked;
    case Event::stall:
      if (!contents.stochastic)
        throw Error("the files have no stochastic PC samples, which alone tell stalls");
      return asked;
    case Event::exposed_stall:
      if (!contents.pipes)
        throw Error(
            "only rocprofv3's JSON tells which stalls are exposed, of stochastic PC samples");
      return asked;
    case Event::clock:
      if (!samples) throw Error("the files have no PC samples");
      return asked;
  }
  return asked;
}

Quantity quantity_of(Event event) {
  switch (event) {
    case Event::stall:
      return {.event = "gpu-stall", .unit = "stalls"};
    case Event::exposed_stall:
      return {.event = "gpu-stall-exposed", .unit = "stalls"};
    case Event::clock:
      return {.event = "gpu-clock", .unit = "samples"};
    default:
      return {.event = "gpu-time", .unit = std::string(kNanoseconds), .measured = true};
  }
}

// One process. Frames of its texts are made once.
class Drawing {
 public:
  Drawing(ProcessTrace& process, uint64_t rank, const Settings& settings, ImportedStacks& stacks)
      : process_(process),
        settings_(settings),
        stacks_(stacks),
        rank_("rank " + std::to_string(rank)),
        ranges_(process, settings, stacks),
        launches_(process, settings, ranges_, stacks) {
    for (const DeviceWork& one : process.work)
      if (!one.is_copy) by_dispatch_.emplace(one.dispatch, &one);
  }

  void draw_work();
  // What stands before the lines about the process, where there are several.
  void set_lead(const std::string& lead) { lead_ = lead; }
  // `host_trap`: those samples, or else the stochastic ones.
  void draw_samples(Event event, bool host_trap);

 private:
  void draw_timelines(const std::vector<const DeviceWork*>& works);
  // Adds a part of a piece of work. `mark`: a frame, or empty.
  void add(const DeviceWork& one, uint64_t time, uint64_t records, std::string_view mark);
  uint32_t frame_of(const DeviceWork& one);
  uint32_t front(const DeviceWork* work, const ApiCall* launch, uint32_t stack,
                 std::string_view slice);
  uint32_t kernel_frame_of(uint64_t kernel);
  uint32_t place_stack(const SampledPlace& place, bool with_reason, uint64_t count);
  // The texts of the instruction and of its comment.
  std::string_view instruction_text(const SampledPlace& place) const;
  std::string_view comment_text(const SampledPlace& place) const;
  uint64_t offset_in(const SampledPlace& place, const DeviceWork* work) const;

  ProcessTrace& process_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::string rank_, lead_;
  RangeRoots ranges_;
  Launches launches_;
  IdMap<const DeviceWork*> by_dispatch_;
  IdMap<uint32_t> kernel_frames_;
};

// Slice, range, process and stream stand in front of the stack.
uint32_t Drawing::front(const DeviceWork* work, const ApiCall* launch, uint32_t stack,
                        std::string_view slice) {
  uint32_t out = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set()) out = stacks_.child(out, slice);
  out = ranges_.append_to(out, launch);
  if (settings_.rank) out = stacks_.child(out, rank_);
  if (settings_.streams) {
    const auto text = [&](uint32_t DeviceWork::*field) {
      const std::string_view known = process_.texts.text(work->*field);
      return known.empty() ? std::string("?") : std::string(known);
    };
    out = stacks_.child(out, work == nullptr ? "[unknown device]"
                                             : text(&DeviceWork::device) + ", queue " +
                                                   text(&DeviceWork::queue) + ", stream " +
                                                   text(&DeviceWork::stream));
  }
  return out == ImportedStacks::kEmpty ? stack : stacks_.append(out, stack);
}

uint32_t Drawing::kernel_frame_of(uint64_t kernel) {
  const auto [at, added] = kernel_frames_.try_emplace(kernel, 0);
  if (added) {
    const auto known = process_.kernels.find(kernel);
    const std::string_view name =
        known == process_.kernels.end() ? "" : process_.texts.text(known->second.name);
    at->second = stacks_.frame(kernel_frame(name, settings_.import.names));
  }
  return at->second;
}

void Drawing::add(const DeviceWork& one, uint64_t time, uint64_t records, std::string_view mark) {
  const ApiCall* launch = launches_.find(one.correlation);
  if (launch == nullptr) stacks_.part("without a launch", time, records);
  uint32_t stack = launch != nullptr ? launch->stack : launches_.unknown(one.thread);
  if (!mark.empty()) stack = stacks_.append(stacks_.child(ImportedStacks::kEmpty, mark), stack);
  stack = front(&one, launch, stack,
                settings_.by_time.is_set() ? settings_.by_time.name(one.start) : "");
  stacks_.add(stacks_.child(stacks_.child(stack, "-"), frame_of(one)), time, records);
}

uint32_t Drawing::frame_of(const DeviceWork& one) {
  if (!one.is_copy) return kernel_frame_of(one.kernel);
  const std::string_view direction = process_.texts.text(static_cast<uint32_t>(one.kernel));
  return stacks_.frame(device_frame(copy_name(direction)));
}

void Drawing::draw_work() {
  std::vector<const DeviceWork*> works;
  for (const DeviceWork& one : process_.work) {
    if (one.end >= one.start) {
      works.push_back(&one);
      continue;
    }
    stacks_.read(0);
    stacks_.lose("work that ends before it begins", 0);
  }
  if (settings_.timeline.needs_timeline()) return draw_timelines(works);
  for (const DeviceWork* one : works) {
    stacks_.read(one->end - one->start);
    add(*one, one->end - one->start, 1, "");
  }
}

void Drawing::draw_timelines(const std::vector<const DeviceWork*>& works) {
  const DeviceTimelines timelines(process_, works, launches_, [this](const DeviceWork& one) {
    return stacks_.text(frame_of(one));
  });
  timelines.say_times(lead_);
  for (const DeviceTimelines::Device& device : timelines.devices()) {
    for (size_t i = 0; i < device.works.size(); ++i) {
      const DeviceWork& one = *device.works[i];
      add_work({one.end - one.start, device.timeline.owned[i], device.classes[i]},
               settings_.timeline, stacks_,
               [&](std::string_view mark, uint64_t time, uint64_t records) {
                 add(one, time, records, mark);
               });
    }
  }
  if (!settings_.timeline.idle) return;
  const HostActivity host = make_host_activity(process_, settings_, ranges_, launches_, stacks_);
  GapBudget budget;
  for (const DeviceTimelines::Device& device : timelines.devices()) {
    const auto roots_at = [&](int64_t time, uint64_t thread, int64_t host_time) {
      uint32_t out = ImportedStacks::kEmpty;
      if (settings_.by_time.is_set())
        out = stacks_.child(out, settings_.by_time.name(static_cast<uint64_t>(time)));
      const auto at = static_cast<uint64_t>(host_time);
      // the main thread counts, as in the stack
      if (!ranges_.is_in_instance(thread, at)) thread = timelines.user().main;
      out = ranges_.append_to(out, thread, at);
      if (settings_.rank) out = stacks_.child(out, rank_);
      if (settings_.streams) out = stacks_.child(out, process_.texts.text(device.number));
      return out;
    };
    add_gaps({.timeline = device.timeline,
              .budget = budget,
              .tells_idle = timelines.coverage().tells_idle(),
              .user = timelines.user(),
              .launch_of = [&](uint32_t number) { return timelines.launch_of(device, number); },
              .roots_at = roots_at},
             settings_.timeline, host, stacks_);
  }
}

std::string_view Drawing::instruction_text(const SampledPlace& place) const {
  if ((place.kind & kByIndex) == 0) return process_.texts.text(place.instruction);
  const auto& texts = process_.sample_instructions;
  return place.instruction < texts.size() ? process_.texts.text(texts[place.instruction]) : "";
}

std::string_view Drawing::comment_text(const SampledPlace& place) const {
  if ((place.kind & kByIndex) == 0) return process_.texts.text(place.comment);
  const auto& texts = process_.sample_comments;
  return place.instruction < texts.size() ? process_.texts.text(texts[place.instruction]) : "";
}

// The instruction's offset in its kernel. The offset in the code object where the kernel is not
// known, or the instruction is not behind its entry: another function of the object.
uint64_t Drawing::offset_in(const SampledPlace& place, const DeviceWork* work) const {
  const auto [of_object, offset] = ProcessTrace::ids_of(process_.codes, place.code);
  if (work == nullptr) return offset;
  const auto kernel = process_.kernels.find(work->kernel);
  const auto object = process_.code_objects.find(of_object);
  if (kernel == process_.kernels.end() || object == process_.code_objects.end() ||
      kernel->second.code_object != of_object || kernel->second.address < object->second)
    return offset;
  const uint64_t entry = kernel->second.address - object->second;
  return offset < entry ? offset : offset - entry;
}

uint32_t Drawing::place_stack(const SampledPlace& place, bool with_reason, uint64_t count) {
  const auto [dispatch, correlation] = ProcessTrace::ids_of(process_.dispatches, place.dispatch);
  const auto known = by_dispatch_.find(dispatch);
  const DeviceWork* work = known == by_dispatch_.end() ? nullptr : known->second;
  const ApiCall* launch = launches_.find(correlation);
  if (launch == nullptr) stacks_.part("without a launch", count, count);
  if (work == nullptr) stacks_.part("without a kernel", count, count);
  uint32_t stack =
      launch != nullptr ? launch->stack : launches_.unknown(work == nullptr ? 0 : work->thread);
  stack = front(work, launch, stack, process_.texts.text(place.slice));
  stack = stacks_.child(stack, "-");
  stack =
      stacks_.child(stack, work == nullptr ? stacks_.frame(kernel_frame("", settings_.import.names))
                                           : kernel_frame_of(work->kernel));
  const Settings::Frames& frames = settings_.frames;
  if (frames.line)
    for (const std::string& line : line_frames(comment_text(place), settings_.import.names))
      stack = stacks_.child(stack, line);
  if (frames.mnemonic) stack = stacks_.child(stack, instruction_frame(instruction_text(place)));
  if (frames.reason && with_reason) {
    const std::string_view reason = process_.texts.text(place.reason);
    stack = stacks_.child(stack,
                          (place.kind & kIssued) != 0 ? issue_frame(reason) : stall_frame(reason));
  }
  if (frames.offset && (place.kind & kByIndex) != 0)
    stack = stacks_.child(stack, offset_frame(offset_in(place, work)));
  return stack;
}

void Drawing::draw_samples(Event event, bool host_trap) {
  for (uint32_t i = 0; i < process_.samples.size(); ++i) {
    const SampledPlace place = process_.place(i);
    const uint64_t count = process_.samples[i];
    stacks_.read(count, count);
    if (((place.kind & kHostTrap) != 0) != host_trap)
      stacks_.lose(host_trap ? "stochastic samples" : "host-trap samples", count, count);
    else if (event != Event::clock && (place.kind & kIssued) != 0)
      stacks_.lose("waves that issued (see --event gpu-clock)", count, count);
    else if (event == Event::exposed_stall && (place.kind & kExposed) == 0)
      stacks_.lose("stalls that were hidden by other waves", count, count);
    else
      stacks_.add(place_stack(place, !host_trap, count), count, count);
  }
}

}  // namespace

void draw(RocprofTrace& trace, const Settings& settings, ImportedStacks& stacks) {
  const Contents contents = contents_of(trace);
  const Event event = choose_event(settings.event, contents);
  stacks.quantity = quantity_of(event);
  uint64_t rank = 0;
  for (const auto& process : trace.processes) {
    Drawing drawing(*process, rank, settings, stacks);
    if (trace.processes.size() > 1) drawing.set_lead("rank " + std::to_string(rank) + ", ");
    ++rank;
    if (event == Event::time)
      drawing.draw_work();
    else
      drawing.draw_samples(event, !contents.stochastic);
  }
}

}  // namespace aiflame::rocprof
