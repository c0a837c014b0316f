// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/device_samples.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/timeline/idle_causes.h"
#include "tools/stackcollapse-aiflame/attribute/idle_frames.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {

using Kind = GpustallRecord::Kind;

DeviceSamples::DeviceSamples(const DeviceRules& rules, const SampleFilter& filter,
                             FrameTables& tables, KnownLines& lines, ProcessRoots& roots,
                             SampleOrigins& origins, PerfLaunches& perf_launches, HostSamples& host,
                             DeviceCounts& counts, DeviceMemory& memory, bool strict)
    : filter_(filter),
      tables_(tables),
      lines_(lines),
      roots_(roots),
      origins_(origins),
      perf_launches_(perf_launches),
      host_(host),
      counts_(counts),
      memory_(memory),
      attribution_([this](uint32_t cell, uint64_t launch, uint64_t count, How how) {
        give(cell, launch, count, how);
      }),
      shared_(tables),
      codes_(rules, tables.texts, origins),
      strict_(strict) {}

void DeviceSamples::take(const GpustallReader& reader, const GpustallRecord& record) {
  if (record.kind == Kind::recording) {
    end_recording();
    input_ = reader.name();
  }
  recording_.take(reader, record);
  switch (record.kind) {
    case Kind::header:
      take_header(record);
      break;
    case Kind::mapped:
    case Kind::unmapped:
      codes_.forget();
      break;
    case Kind::size:
      launches_.at(record.launch).size = record.launch_size;
      break;
    case Kind::launched:
      take_launched(record);
      break;
    case Kind::hidden:
      take_hidden(record);
      break;
    case Kind::waited:
      take_waited(record);
      break;
    case Kind::idle:
      take_idle(record);
      break;
    case Kind::allocated:
      take_allocated(record);
      break;
    case Kind::freed:
      memory_.free(record);
      break;
    case Kind::released:
      memory_.release(record);
      break;
    case Kind::slice:
      memory_.begin(record.start);
      attribution_.end_slice();
      perf_launches_.begin_slice(attribution_, record.start, record.stop);
      break;
    case Kind::lost:
      take_lost(record);
      break;
    case Kind::end:
      take_end();
      break;
    case Kind::sample:
      if (is_launch_sample(record))
        take_launch(record);
      else if (is_call_sample(record) || is_allocation_sample(record))
        take_wait(record);
      else
        take_sample(reader, record);
      break;
    case Kind::recording:
    case Kind::launch:
    case Kind::comment:
      break;
  }
}

void DeviceSamples::take_end() {
  const std::string& contradiction = recording_.contradiction();
  if (!contradiction.empty()) {
    if (strict_) throw Error(contradiction);
    if (contradictions_++ == 0) contradiction_ = contradiction;
  }
  end_recording();
}

void DeviceSamples::report() const {
  codes_.report();
  host_.report();
  if (totals_.lost_memory > 0 || totals_.lost_memory_unknown)
    warn("%llu%s allocations and frees were lost: blocks may be missing, or be freed already",
         static_cast<unsigned long long>(totals_.lost_memory),
         totals_.lost_memory_unknown ? " and more" : "");
  memory_.report();
  if (contradictions_ == 0) return;
  const std::string others = contradictions_ == 1
                                 ? ""
                                 : format("; %llu more recordings have other sums than they say",
                                          static_cast<unsigned long long>(contradictions_ - 1));
  warn("%s%s", contradiction_.c_str(), others.c_str());
}

void DeviceSamples::end_recording() {
  memory_.end_recording(input_);
  attribution_.forget();
  shared_.forget();
  add_use();
  recording_.forget();
  codes_.forget();
  launches_.clear();
  roots_.end_recording();
  lines_.objects().end_recording();
  origins_.forget_devices();
  perf_launches_.end_recording();
}

// Adds the time of the recording that ends.
void DeviceSamples::add_use() {
  const uint64_t time = recording_.duration();
  add_samples(totals_.recorded, time * std::max<size_t>(devices_.size(), 1));
  for (const auto& [index, device] : devices_) {
    DeviceUse& use = totals_.devices[index];
    add_samples(use.busy, device.busy);
    add_samples(use.recorded, time);
    use.measured |= device.measured;
    use.processes = std::max(use.processes, device.processes.size());
    use.has_window |= device.has_window;
    add_samples(use.idle, device.idle);
    for (size_t i = 0; i < kWorkClasses; ++i) add_samples(use.classes[i], device.classes[i]);
    // of lost launches nobody knows on which device they ran
    add_saturating(use.coverage.kernels, device.placed);
    add_saturating(use.coverage.launched, device.launched);
    add_saturating(use.coverage.launched, lost_launches_);
    if (lost_unknown_launches_) use.coverage.launched = UINT64_MAX;
  }
  devices_.clear();
  lost_launches_ = 0;
  lost_unknown_launches_ = false;
}

void DeviceSamples::take_header(const GpustallRecord& header) {
  roots_.take_header(header);
  lines_.objects().take_header(header);
  memory_.take_header(header);
  // a uprobe does not see the addresses of the kernels
  if (header.key == "launches by" && header.value == "uprobe") attribution_.presume_unknown_code();
  std::string_view number = header.key;
  if (!take_prefix(number, "device ")) return;
  if (const auto index = parse_number<uint64_t>(number)) {
    origins_.describe_device(*index, header.value);
    devices_[*index];
  }
}

// The stack of a launch, or of a call that waits or allocates.
DeviceSamples::Launch& DeviceSamples::add_launch(const GpustallRecord& sample, size_t first_frame) {
  const auto [at, added] = launches_.try_emplace(recording_.launch());
  Launch& launch = at->second;
  if (!added) return launch;
  Stack stack = lines_.stack(sample, first_frame);
  launch.plain_stack = tables_.stacks.number(stack);
  stack.root = roots_.root(stack.root, sample.pid);
  launch.stack = tables_.stacks.number(stack);
  launch.pid = sample.pid;
  launch.tid = sample.tid;
  launch.device_index = sample.cpu.value_or(0);
  launch.device = origins_.device(launch.device_index);
  launch.thread = origins_.thread(sample.comm, sample.pid, sample.tid);
  return launch;
}

void DeviceSamples::take_wait(const GpustallRecord& sample) {
  Launch& launch = add_launch(sample, 0);
  launch.is_call = true;
  launch.name = origins_.kernel("");
}

void DeviceSamples::take_launch(const GpustallRecord& sample) {
  const uint64_t number = recording_.launch();
  const ScriptFrame& kernel = recording_.kernel();
  const bool added = !launches_.contains(number);
  Launch& launch = add_launch(sample, 1);
  if (added) {
    launch.kernel = tables_.texts.number(kernel.symbol);
    launch.name = origins_.kernel(kernel.symbol);
    devices_[launch.device_index].processes.insert(sample.pid);
    launch.is_operation = kernel.object == kOperationObject;
    launch.work_class =
        launch.is_operation ? class_of_operation(kernel.symbol) : class_of_kernel(kernel.symbol);
    launch.of_driver = (launch.is_operation && launch.work_class != WorkClass::host) ||
                       kernel.symbol == kDriverKernel;
  }
  const bool nameless = kernel.symbol == "[unknown kernel]";
  const uint64_t start = kernel.address == 0 ? 0 : kernel.address - kernel.offset;
  // a driver's own kernels are sampled under one name, whatever they are for
  const uint32_t sampled_as =
      launch.of_driver ? tables_.texts.number(kDriverKernel) : launch.kernel;
  attribution_.define(number, sample.pid, nameless ? Attribution::kUnknownKernel : sampled_as,
                      start);
  if (launch.of_driver) attribution_.mark_opaque(number);
  if (kernel.address != 0) launch.start = code_place(recording_.place(sample, start));
}

void DeviceSamples::take_launched(const GpustallRecord& launched) {
  const Launch& launch = launches_.at(launched.launch);
  attribution_.launched(launched.launch, *launched.count, launched.busy);
  add_samples(totals_.launches, *launched.count);
  time_ = recording_.slice_start();
  const Cell all{kTime, 0, 0, launch.device, launch.name, launch.thread, Unnamed::no};
  if (*launched.count > 0 && passes(all, launched.launch))
    tally_.add(tables_.texts.text(launch.kernel), launch.start, launch.size, *launched.count);
  // gpu-launch, which is drawn by default where no launch has a time
  if (*launched.count > 0 && (counts_.wants_launches() || launched.busy.value_or(0) == 0))
    give_known(kLaunch, code_of(launch), launched.launch, *launched.count);
  Device& device = devices_[launch.device_index];
  if (!launch.is_operation) {
    add_saturating(device.launched, *launched.count);
    if (launched.busy) add_saturating(device.placed, *launched.count);
  }
  if (!launched.busy) return;
  if (launch.work_class == WorkClass::host) {
    // the device only waited for it
    if (*launched.busy > 0) give_known(kTime, code_of(launch), launched.launch, *launched.busy);
    return;
  }
  totals_.busy_measured = true;
  add_samples(totals_.busy, *launched.busy);
  device.measured = true;
  add_samples(device.busy, *launched.busy);
  add_samples(device.classes[static_cast<size_t>(launch.work_class)], *launched.busy);
  // gpu-time: a stack that ends with the kernel
  if (*launched.busy > 0) give_known(kTime, code_of(launch), launched.launch, *launched.busy);
}

// The frames of what a launch runs.
uint32_t DeviceSamples::code_of(const Launch& launch) {
  const std::string name(tables_.texts.text(launch.kernel));
  const uint32_t code = launch.is_operation ? codes_.operation_frames(name)
                                            : codes_.kernel_frames(name, launch.start);
  if (launch.work_class != WorkClass::computation) other_work_.emplace(code, launch.work_class);
  return code;
}

// What is known to be of a launch, or of a call that waits: its time, or how often it was made.
void DeviceSamples::give_known(uint32_t event, uint32_t code, uint64_t number, uint64_t count) {
  const Launch& launch = launches_.at(number);
  time_ = recording_.slice_start();
  // as the samples that are read now, though the device may be described anew since the launch
  const uint32_t device_now = origins_.device(launch.device_index);
  counts_.read(event, origins_.sampler(device_now), count);
  give(cells_.number({event, 0, code, launch.device, launch.name, launch.thread, Unnamed::no}),
       number, count, How::exact);
}

void DeviceSamples::take_hidden(const GpustallRecord& hidden) {
  const Launch& launch = launches_.at(hidden.launch);
  uint64_t& of_class =
      devices_[launch.device_index].classes[static_cast<size_t>(launch.work_class)];
  of_class -= std::min(of_class, *hidden.busy);
  if (*hidden.busy > 0) give_known(kHidden, code_of(launch), hidden.launch, *hidden.busy);
}

void DeviceSamples::take_waited(const GpustallRecord& waited) {
  add_samples(totals_.waits, *waited.count);
  if (*waited.busy > 0) give_known(kWait, 0, waited.launch, *waited.busy);
}

const RecordedTotals& DeviceSamples::totals() {
  totals_.allocations = memory_.allocations();
  totals_.frees = memory_.frees();
  totals_.blocks = memory_.blocks();
  return totals_;
}

// At the moment that is drawn, all allocations of a device count, and filters choose which of them
// are drawn.
void DeviceSamples::take_allocated(const GpustallRecord& allocated) {
  const Launch& launch = launches_.at(allocated.launch);
  time_ = allocated.start;
  const Cell cell{kMemory, 0, 0, launch.device, origins_.kernel(""), launch.thread, Unnamed::no};
  memory_.allocate({launch.stack, launch.pid, launch.device_index, passes(cell, allocated.launch)},
                   allocated);
}

// A stack without a boundary: why the device was idle, and the stack that was to blame.
void DeviceSamples::take_idle(const GpustallRecord& idle) {
  Device& device = devices_[idle.device];
  if (idle.idle == IdleKind::unplaced) {
    device.placed -= std::min(device.placed, *idle.count);
    return;
  }
  device.has_window = true;
  const bool is_outside = idle.idle == IdleKind::before || idle.idle == IdleKind::after;
  if (!is_outside) add_samples(device.idle, *idle.busy);
  if (*idle.busy == 0) return;
  const Launch* const launch = idle.launch == 0 ? nullptr : &launches_.at(idle.launch);
  const uint32_t root = roots_.root(tables_.texts.number(idle_frames(idle.idle, launch != nullptr)),
                                    launch ? launch->pid : 0);
  const uint32_t event = is_outside ? kOutside : kIdle;
  const uint32_t thread = launch != nullptr ? launch->thread : origins_.thread("[device]", 0, 0);
  const Cell cell{event,  root,       0, origins_.device(idle.device), origins_.kernel(kGpuIdle),
                  thread, Unnamed::no};
  time_ = recording_.slice_start();
  counts_.read(event, origins_.sampler(cell.device), *idle.busy);
  if (!passes(cell, 0)) return counts_.filter_out(event, *idle.busy);
  DeviceCounts::Line line;
  line.event = event;
  line.root = root;
  line.sampler = origins_.sampler(cell.device);
  uint64_t left = *idle.busy;
  if (idle.idle == IdleKind::host && launch != nullptr) left = share_host_time(idle, *launch, line);
  if (left == 0) return;
  line.stack = launch != nullptr ? launch->plain_stack : DeviceCounts::kNoStack;
  counts_.add(line, time_, left, How::exact);
}

// The stacks of CPU samples say what the host did. A gap may have begun before its slice. Returns
// the time of which they say nothing.
uint64_t DeviceSamples::share_host_time(const GpustallRecord& idle, const Launch& launch,
                                        DeviceCounts::Line line) {
  const uint64_t start = recording_.slice_start().value_or(0), end = recording_.slice_end();
  const uint64_t from = std::min(start, end - std::min(end, *idle.busy));
  line.root = roots_.root(tables_.texts.number(idle_frames(idle.idle, false)), launch.pid);
  return host_.share(launch.tid, from, end, *idle.busy, [&](uint32_t stack, uint64_t time) {
    line.stack = stack;
    counts_.add(line, time_, time, How::apportioned);
  });
}

void DeviceSamples::take_lost(const GpustallRecord& lost) {
  if (lost.of_memory) {
    totals_.lost_memory_unknown |= !lost.count;
    return add_losses(totals_.lost_memory, totals_.lost_memory_unknown, lost.count.value_or(0));
  }
  if (lost.of_launches) {
    add_saturating(lost_launches_, lost.count.value_or(0));
    lost_unknown_launches_ |= !lost.count;
  }
  bool& unknown = lost.of_launches ? totals_.lost_launches_unknown : totals_.lost_unknown;
  unknown |= !lost.count;
  // `lost ?` of launches is of processes that are not in the recording at all
  if (lost.of_launches && lost.count && lost.pid != 0)
    attribution_.lost_launches(lost.pid, *lost.count);
  add_losses(lost.of_launches ? totals_.lost_launches : totals_.lost, unknown,
             lost.count.value_or(0));
}

void DeviceSamples::take_sample(const GpustallReader& reader, const GpustallRecord& sample) {
  perf_launches_.begin_whole(attribution_);
  const DeviceCodes::Code code = codes_.of(reader, sample, recording_);
  const uint32_t event = device_event_number(sample.event);
  DeviceSample out;
  out.pid = sample.pid;
  out.launch = recording_.launch();
  out.count = *sample.period;
  out.kernel = code.kernel;
  out.address = code.start;
  const uint32_t device = origins_.device(sample.cpu.value_or(0));
  const uint32_t root = roots_.root(lines_.root(sample), sample.pid);
  out.cell = cells_.number({event, root, code.text, device, code.name,
                            origins_.thread(sample.comm, sample.pid, sample.tid), code.unnamed});
  time_ = recording_.slice_start() ? recording_.slice_start() : sample.time;
  counts_.read(event, origins_.sampler(device), out.count);
  attribution_.sample(out);
}

// Attribution has decided: `count` samples of a cell belong to a launch, 0 for none.
void DeviceSamples::give(uint32_t cell, uint64_t launch, uint64_t count, How how) {
  const Cell& sampled = cells_.key(cell);
  if (!passes(sampled, launch)) {
    counts_.filter_out(sampled.event, count);
    return;
  }
  const DeviceCounts::Line drawn =
      how == How::presumed ? presumed_line(sampled) : line(sampled, launch);
  counts_.add(drawn, time_, count, how, sampled.unnamed);
}

// Where the launch is known, the thread and the root are the launch's, not the sample's.
bool DeviceSamples::passes(const Cell& cell, uint64_t launch) const {
  if (!origins_.passes(cell.device) || !origins_.passes(cell.kernel) || !filter_.passes_time(time_))
    return false;
  if (launch == 0) return origins_.passes(cell.thread);
  if (PerfLaunches::has(launch)) return perf_launches_.passes_thread(launch);
  return origins_.passes(launches_.at(launch).thread);
}

// It stands on what all launches that it can be of have in common.
DeviceCounts::Line DeviceSamples::presumed_line(const Cell& cell) {
  DeviceCounts::Line out;
  out.event = cell.event;
  out.code = cell.code;
  out.sampler = origins_.sampler(cell.device);
  out.stack = shared_.stack(attribution_.presumed(), cell.root, [this](uint64_t launch) {
    return PerfLaunches::has(launch) ? perf_launches_.stack(launch) : launches_.at(launch).stack;
  });
  return out;
}

DeviceCounts::Line DeviceSamples::line(const Cell& cell, uint64_t launch) const {
  DeviceCounts::Line out;
  out.event = cell.event;
  out.code = cell.code;
  out.sampler = origins_.sampler(cell.device);
  if (launch == 0) {
    out.stack = DeviceCounts::kNoStack;
    out.root = cell.root;
  } else {
    out.stack =
        PerfLaunches::has(launch) ? perf_launches_.stack(launch) : launches_.at(launch).stack;
  }
  return out;
}

}  // namespace aiflame::collapse
