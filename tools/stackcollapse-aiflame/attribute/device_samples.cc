// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/device_samples.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"

namespace aiflame::collapse {

using Kind = GpustallRecord::Kind;

DeviceSamples::DeviceSamples(const DeviceRules& rules, const SampleFilter& filter,
                             FrameTables& tables, KnownLines& lines, ProcessRoots& roots,
                             SampleOrigins& origins, PerfLaunches& perf_launches,
                             DeviceCounts& counts, bool strict)
    : filter_(filter),
      tables_(tables),
      lines_(lines),
      roots_(roots),
      origins_(origins),
      perf_launches_(perf_launches),
      counts_(counts),
      attribution_([this](uint32_t cell, uint64_t launch, uint64_t count, How how) {
        give(cell, launch, count, how);
      }),
      shared_(tables),
      codes_(rules, tables.texts, origins),
      strict_(strict) {}

void DeviceSamples::take(const GpustallReader& reader, const GpustallRecord& record) {
  if (record.kind == Kind::recording) end_recording();
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
    case Kind::slice:
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
  if (contradictions_ == 0) return;
  const std::string others = contradictions_ == 1
                                 ? ""
                                 : format("; %llu more recordings have other sums than they say",
                                          static_cast<unsigned long long>(contradictions_ - 1));
  warn("%s%s", contradiction_.c_str(), others.c_str());
}

void DeviceSamples::end_recording() {
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
  }
  devices_.clear();
}

void DeviceSamples::take_header(const GpustallRecord& header) {
  roots_.take_header(header);
  lines_.objects().take_header(header);
  // a uprobe does not see the addresses of the kernels
  if (header.key == "launches by" && header.value == "uprobe") attribution_.presume_unknown_code();
  std::string_view number = header.key;
  if (!take_prefix(number, "device ")) return;
  if (const auto index = parse_number<uint64_t>(number)) {
    origins_.describe_device(*index, header.value);
    devices_[*index];
  }
}

void DeviceSamples::take_launch(const GpustallRecord& sample) {
  const uint64_t number = recording_.launch();
  const ScriptFrame& kernel = recording_.kernel();
  const auto [at, added] = launches_.try_emplace(number);
  Launch& launch = at->second;
  if (added) {
    launch.kernel = tables_.texts.number(kernel.symbol);
    Stack stack = lines_.stack(sample, 1);
    stack.root = roots_.root(stack.root, sample.pid);
    launch.stack = tables_.stacks.number(stack);
    launch.device_index = sample.cpu.value_or(0);
    launch.device = origins_.device(launch.device_index);
    devices_[launch.device_index].processes.insert(sample.pid);
    launch.name = origins_.kernel(kernel.symbol);
    launch.of_driver = kernel.symbol == kDriverKernel;
    launch.thread = origins_.thread(sample.comm, sample.pid, sample.tid);
  }
  const bool nameless = kernel.symbol == "[unknown kernel]";
  const uint64_t start = kernel.address == 0 ? 0 : kernel.address - kernel.offset;
  attribution_.define(number, sample.pid, nameless ? Attribution::kUnknownKernel : launch.kernel,
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
  if (!launched.busy) return;
  totals_.busy_measured = true;
  add_samples(totals_.busy, *launched.busy);
  Device& device = devices_[launch.device_index];
  device.measured = true;
  add_samples(device.busy, *launched.busy);
  if (*launched.busy == 0) return;
  // gpu-time: a stack that ends with the kernel
  const uint32_t code = codes_.kernel_frames(tables_.texts.text(launch.kernel), launch.start);
  // as the samples that are read now, though the device may be described anew since the launch
  const uint32_t device_now = origins_.device(launch.device_index);
  counts_.read(kTime, origins_.sampler(device_now), *launched.busy);
  give(cells_.number({kTime, 0, code, launch.device, launch.name, launch.thread, Unnamed::no}),
       launched.launch, *launched.busy, How::exact);
}

void DeviceSamples::take_lost(const GpustallRecord& lost) {
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
