// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/recorder.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// A time told by an agent is not believed beyond this: the clocks are the same, and a tick is 20
// ms.
constexpr uint64_t kAheadNs = 1000000000;

// Of agents that tell samples and never the end of their slice: some 70 MB.
constexpr size_t kMaxUndrained = 1 << 20;

// Different lines for the user, from agents.
constexpr size_t kMaxMessages = 64;

}  // namespace

Recorder::Recorder(Output& out, std::string event, uint64_t origin, uint64_t interval_ns,
                   const std::string& objects_directory)
    : out_(out),
      writer_(out),
      slice_writer_(writer_, std::move(event), recording_),
      slices_(origin, interval_ns),
      code_(objects_directory, recording_.kernels, slices_),
      stack_namer_(cpu_names_, python_frames_),
      now_(origin),
      before_(origin),
      last_time_(origin) {}

void Recorder::begin(const std::vector<std::string>& header) {
  writer_.begin();
  for (const std::string& line : header) writer_.header(line);
  out_.flush();
}

void Recorder::tick(uint64_t now) {
  before_ = now_;
  now_ = now;
}

uint64_t Recorder::believed(uint64_t time) const {
  return std::min(time, now_ + kAheadNs);
}

// ---- what the source tells ---------------------------------------------------------------------

void Recorder::take(const gpustall_event& event) {
  switch (event.type) {
    case GPUSTALL_EVENT_PROCESS:
      recording_.comms.set(event.pid, event.u.text);
      break;
    case GPUSTALL_EVENT_LOAD:
      code_.load(event);
      break;
    case GPUSTALL_EVENT_UNLOAD:
      code_.unload(event);
      break;
    case GPUSTALL_EVENT_SAMPLE:
      take_sample(event);
      break;
    case GPUSTALL_EVENT_LOST:
      lose_samples(event.time, event.pid, event.device, event.u.number);
      break;
    case GPUSTALL_EVENT_EXIT:
      slices_.process_gone(event.pid, event.time);
      break;
    default:
      break;  // of a newer plugin
  }
}

void Recorder::take_sample(const gpustall_event& event) {
  const gpustall_sample& from = event.u.sample;
  TimedSample sample;
  sample.time = event.time;
  sample.address = from.address;
  sample.count = from.count;
  sample.pid = event.pid;
  sample.device = event.device;
  sample.reason = from.reason == nullptr ? 0 : recording_.reasons.number(from.reason);
  sample.object = code_.at(event.device, event.pid, from.address);
  if (sample.object != nullptr) {
    const CodeObject::Function* function = sample.object->function_at(from.address);
    // outside of every function (a PLT stub, say): the kernel's all the same
    if (function != nullptr)
      sample.kernel = function->kernel;
    else if (!sample.object->functions.empty())
      sample.kernel = sample.object->functions.front().kernel;
  }
  slices_.sample(sample);
  last_time_ = std::max(last_time_, event.time);
  recording_.totals.samples += from.count;
}

void Recorder::lose_samples(uint64_t time, uint32_t pid, uint32_t device, uint64_t count) {
  SliceEvent out;
  out.kind = SliceEvent::Kind::lost_samples;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.count = count;
  slices_.event(out);
}

// ---- what the agents tell ----------------------------------------------------------------------

// What the program in a process has told: it has ended.
void Recorder::forget(uint32_t pid) {
  slices_.process_gone(pid, now_);
  python_frames_.forget(pid);
  recording_.launches.forget(pid);
  code_.forget(pid, now_);
  devices_.forget(pid);
  agent_reasons_.forget(pid);
}

void Recorder::on_connected(uint32_t pid) {
  // a new program in the process: what the old one left has ended
  forget(pid);
  cpu_names_.forget(pid);
  // until the source tells more, where it knows of processes at all
  recording_.comms.look_up(pid);
}

void Recorder::on_device(uint32_t pid, uint32_t number, std::string_view place) {
  // a source that cannot see where its devices sit learns it of the agents
  devices_.tell(pid, number, place, samples_by_agents_);
}

void Recorder::on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                      std::string_view path, bool first) {
  if (first) cpu_names_.forget(pid);
  cpu_names_.map(pid, start, end, file_offset, std::string(path));
}

void Recorder::on_text(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
                       uint32_t line) {
  python_frames_.add(pid, id, function, file, line);
}

void Recorder::on_python(uint32_t pid, uint32_t version) {
  // a recording that has met more is being lied to
  constexpr size_t kMost = 16;
  if (recording_.totals.pythons.size() >= kMost ||
      !recording_.totals.pythons.insert(version).second)
    return;
  const std::string name = version == 0
                               ? "a Python of unknown version"
                               : format("Python %u.%u", version >> 24, version >> 16 & 255);
  warn("process %u: %s, whose frames cannot be read here: its stacks are without Python functions",
       pid, name.c_str());
}

void Recorder::on_stack(uint32_t pid, const Stack& stack) {
  DistinctLaunch* launch = recording_.launches.add(pid, stack.id);
  if (launch == nullptr) return;  // told again, or one too many
  if ((stack.flags & AGENT_CUT) != 0) ++recording_.totals.cut_stacks;
  if ((stack.flags & AGENT_NO_PYTHON) != 0) ++recording_.totals.python_unread;
  launch->tid = stack.tid;
  launch->device = devices_.find(pid, stack.device).front();
  launch->kernel = recording_.kernels.number(std::string(stack.kernel));
  if (!stack.comm.empty()) recording_.comms.set_unknown(pid, stack.comm);
  launch->comm = stack.comm.empty() ? recording_.comms.of(pid) : std::string(stack.comm);
  launch->stack = stack_namer_.name(pid, stack);
  const LoadedCode::KernelPlace place = code_.find_kernel(pid, stack.object, launch->kernel);
  launch->address = place.address;
  launch->object = place.object;
}

void Recorder::on_launches(uint32_t pid, const agent_launches& launches) {
  const bool failed = (launches.record.flags & AGENT_FAILED) != 0;
  DistinctLaunch* distinct = recording_.launches.find(pid, launches.id);
  if (distinct == nullptr) {
    if (!failed) on_lost(pid, launches.count);
    return;
  }
  const uint64_t time = believed(launches.time);
  if (distinct->time == 0) distinct->time = time;
  last_time_ = std::max(last_time_, time);
  slices_.untimed(distinct->number, time, launches.count, failed);
}

void Recorder::on_load(uint32_t pid, const agent_code& code, const std::string& content) {
  code_.load(pid, code, content, believed(code.time), devices_.find(pid, code.device));
}

void Recorder::on_unload(uint32_t pid, const agent_code& code) {
  code_.unload(pid, code.id, believed(code.time));
}

void Recorder::on_launch(uint32_t pid, const agent_launch& launch) {
  DistinctLaunch* distinct = recording_.launches.find(pid, launch.id);
  if (distinct == nullptr) {
    on_lost(pid, 1);  // its stack found the ring full, or there are too many
    return;
  }
  const uint64_t time = believed(launch.time);
  if (distinct->time == 0) distinct->time = time;
  last_time_ = std::max(last_time_, time);
  Slices::Started started;
  started.pid = pid;
  started.instance = launch.instance;
  started.number = distinct->number;
  started.kernel = distinct->kernel;
  started.queue = launch.queue;
  started.time = time;
  started.in_order = (launch.record.flags & AGENT_OUT_OF_ORDER) == 0;
  started.timed = (launch.record.flags & AGENT_UNTIMED) == 0;
  slices_.started(started);
}

void Recorder::on_done(uint32_t pid, const agent_done& done) {
  const uint16_t flags = done.record.flags;
  LaunchEnd how = LaunchEnd::timed;
  uint64_t begin = done.begin, end = done.end;
  if ((flags & AGENT_FAILED) != 0) {
    how = LaunchEnd::failed;
  } else if ((flags & AGENT_NO_TIMES) != 0 || end < begin) {
    how = LaunchEnd::untimed;
    end = now_;
  } else if ((flags & AGENT_DURATION) != 0) {
    // on a clock that is not ours: how long is known, when is not
    begin = now_ - std::min(now_, end - begin);
    end = now_;
  } else if (end > now_ + kAheadNs) {
    how = LaunchEnd::untimed;  // in the future: no clock of ours
    end = now_;
  }
  slices_.done(pid, done.instance, how, begin, end);
}

void Recorder::on_lost(uint32_t pid, uint64_t launches) {
  lost_launches_[pid] += launches;
}

// ---- what agents that are the source tell ------------------------------------------------------

void Recorder::on_sampling(uint32_t pid, uint32_t device, uint64_t period, std::string_view unit,
                           std::string_view name) {
  if (!samples_by_agents_) return;
  last_sampling_ = now_;
  const uint32_t number = devices_.find(pid, device).front();
  const std::string* place = devices_.place(number);
  const std::string line =
      format("device %u : %s, %s, %s, period %llu %s", number, source_name_.c_str(),
             gpustall_text(name).c_str(), place == nullptr ? "unknown place" : place->c_str(),
             static_cast<unsigned long long>(period), gpustall_text(unit).c_str());
  // once of all the processes that use the device alike
  if (device_lines_.size() < AgentDevices::kMost && device_lines_.insert(line).second)
    writer_.header(line);
}

void Recorder::on_reason(uint32_t pid, uint32_t number, std::string_view name) {
  if (samples_by_agents_) agent_reasons_.name(pid, number, recording_.reasons, name);
}

void Recorder::on_sample(uint32_t pid, const agent_sample& from) {
  if (!samples_by_agents_) return;
  TimedSample sample;
  sample.time = now_;
  sample.count = from.count;
  sample.pid = pid;
  sample.device = devices_.find(pid, from.device).front();
  if ((from.record.flags & AGENT_FOREIGN) != 0) {
    sample.kernel = recording_.kernels.number(AGENT_DRIVER_KERNEL);
    recording_.totals.of_driver += from.count;
  } else {
    sample.address = from.address;
    sample.reason = agent_reasons_.find(pid, from.reason);
    sample.object = code_.at(sample.device, pid, from.address);
    const CodeObject::Function* function =
        sample.object == nullptr ? nullptr : sample.object->function_at(from.address);
    if (function != nullptr) sample.kernel = function->kernel;
    const DistinctLaunch* launch = recording_.launches.find(pid, from.stack);
    if (launch != nullptr) sample.launch = launch->number;
  }
  recording_.totals.samples += from.count;
  drains_[pid].push_back(sample);
  if (++undrained_ >= kMaxUndrained) on_drained(pid, now_);
}

void Recorder::on_lost_samples(uint32_t pid, uint32_t device, uint64_t count) {
  if (!samples_by_agents_ || count == 0) return;
  lose_samples(now_, pid, devices_.find(pid, device).front(), count);
}

// Its slice ends with it: the launches of a slice are then those of its samples. Slices are cut in
// order of time, whoever drains.
void Recorder::on_drained(uint32_t pid, uint64_t time) {
  const auto drained = drains_.find(pid);
  if (!samples_by_agents_ || (drained == drains_.end() && time <= last_drain_)) return;
  time = std::clamp(time, last_drain_ + 1, std::max(now_, last_drain_ + 1));
  last_drain_ = time;
  if (drained != drains_.end()) {
    for (TimedSample& sample : drained->second) {
      sample.time = time - 1;
      slices_.sample(sample);
    }
    undrained_ -= drained->second.size();
    drains_.erase(drained);
    last_time_ = std::max(last_time_, time);
  }
  slices_.cut(time);
}

void Recorder::on_message(uint32_t pid, std::string_view text, bool is_hint) {
  // a thousand processes that are refused the same are one sentence
  if (messages_.size() >= kMaxMessages || !messages_.insert(std::string(text)).second) return;
  const std::string shown = printable(text);
  if (is_hint)
    hint("%s", shown.c_str());
  else
    warn("process %u: %s", pid, shown.c_str());
}

void Recorder::place_losses() {
  for (const auto& [pid, launches] : lost_launches_) {
    SliceEvent out;
    out.kind = SliceEvent::Kind::lost_launches;
    out.time = last_time_;
    out.pid = pid;
    out.count = launches;
    slices_.event(out);
    slices_.launches_lost(pid, before_, now_);
  }
  lost_launches_.clear();
}

void Recorder::on_gone(uint32_t pid) {
  // what it had no time to end
  if (drains_.contains(pid)) on_drained(pid, now_);
  forget(pid);
}

// ---- writing -----------------------------------------------------------------------------------

void Recorder::write(uint64_t settled, bool all) {
  // what an agent has not ended, whose process goes on
  while (all && !drains_.empty()) on_drained(drains_.begin()->first, now_);
  place_losses();
  code_.place_unloads(now_);
  Slice slice;
  bool any = false;
  while (slices_.next(settled, all, slice)) {
    slice_writer_.write(slice);
    any = true;
  }
  if (any) out_.flush();
}

void Recorder::end() {
  recording_.totals.launches = slices_.launches();
  writer_.end(
      recording_.totals.samples, recording_.totals.launches,
      recording_.totals.lost_unknown > 0 ? GpustallWriter::kUnknown : recording_.totals.lost);
}

}  // namespace aiflame::record
