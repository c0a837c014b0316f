// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/slice_writer.h"

#include <utility>

#include "tools/gpustall-record/write/redaction.h"

namespace aiflame::record {
namespace {

// What defines a launch or a call.
std::string_view event_of(DistinctLaunch::What what) {
  if (what == DistinctLaunch::What::call) return kCallEvent;
  return what == DistinctLaunch::What::allocation ? kAllocationEvent : kLaunchEvent;
}

}  // namespace

SliceWriter::SliceWriter(GpustallWriter& writer, std::string event, CaptureTables& tables)
    : writer_(writer), event_(std::move(event)), tables_(tables), ledger_(tables.ledger) {}

void SliceWriter::write(const Slice& slice) {
  writer_.slice(slice.start, slice.end);
  bool first = true;
  for (const Slice::Part& part : slice.parts) {
    for (const SliceEvent& event : part.events) write_event(event);
    if (first) write_definitions(slice);
    for (const SampleGroup& group : part.groups)
      if (group.launch != 0) write_launch(group.launch);
    if (first)
      for (const auto& [kind, launched] : slice.launched) {
        write_size(kind);
        writer_.launched(kind.number, launched.count,
                         launched.measured ? launched.busy_ns : GpustallWriter::kUnknown);
        ledger_.write(Counted::launches, launched.count);
        if (launched.measured && tables_.launches.at(kind.number).work_class != WorkClass::host)
          add_saturating(tables_.totals.busy_ns, launched.busy_ns);
      }
    if (first) write_times(slice);
    if (first) write_memory(slice);
    first = false;
    for (const SampleGroup& group : part.groups) write_group(group, slice.end);
  }
}

// The stacks that write() and write_times() name.
void SliceWriter::write_definitions(const Slice& slice) {
  for (const auto& [kind, launched] : slice.launched) write_launch(kind.number);
  for (const auto& [number, waited] : slice.waited) write_launch(number);
  for (const auto& [number, ns] : slice.hidden)
    if (is_known(number)) write_launch(number);
  for (const auto& [place, time] : slice.idle)
    if (is_known(place.number)) write_launch(place.number);
  for (const MemoryChange& change : slice.memory)
    if (change.kind == MemoryChange::Kind::allocated) write_launch(change.number);
}

// A gap may be older than what is kept of a process that has ended.
bool SliceWriter::is_known(uint32_t number) const {
  return number != 0 && tables_.launches.has(number);
}

// What the devices did, and how long threads waited.
void SliceWriter::write_times(const Slice& slice) {
  for (const auto& [number, ns] : slice.hidden)
    if (is_known(number)) writer_.hidden(number, ns);
  for (const auto& [number, waited] : slice.waited) writer_.waited(number, waited.count, waited.ns);
  for (const auto& [place, time] : slice.idle)
    writer_.idle(place.device, place.kind, is_known(place.number) ? place.number : 0, time.count,
                 time.ns);
}

void SliceWriter::write_memory(const Slice& slice) {
  for (const MemoryChange& change : slice.memory) switch (change.kind) {
      case MemoryChange::Kind::allocated:
        writer_.allocated(change.number, change.time, change.address, change.bytes);
        ledger_.write(Counted::memory, 1);
        break;
      case MemoryChange::Kind::freed:
        writer_.freed(change.pid, change.device, change.time, change.address,
                      change.bytes == 0 ? GpustallWriter::kUnknown : change.bytes);
        ledger_.write(Counted::memory, 1);
        break;
      case MemoryChange::Kind::released:
        writer_.released(change.pid, change.time);
        break;
    }
}

void SliceWriter::write_event(const SliceEvent& event) {
  const GpustallOrigin origin{tables_.comms.find(event.pid, event.time), event.pid, event.pid,
                              event.device, event.time};
  switch (event.kind) {
    case SliceEvent::Kind::load:
      writer_.load(origin, event.object->address, event.object->bytes, event.file_offset,
                   path(event.object->path));
      written_code_[event.device].load(event.pid, event.object);
      break;
    case SliceEvent::Kind::unload:
      writer_.unload(origin, event.object->address, event.object->bytes, path(event.object->path));
      written_code_[event.device].unload(event.pid, event.object->address);
      break;
    case SliceEvent::Kind::lost_samples:
      writer_.lost(origin, event.count, "");
      ledger_.write_loss(Counted::samples, event.count);
      break;
    case SliceEvent::Kind::lost_launches:
      writer_.lost(origin, event.count, kLostLaunches);
      ledger_.write_loss(Counted::launches, event.count);
      break;
    case SliceEvent::Kind::lost_memory:
      writer_.lost(origin, event.count, kLostMemory);
      ledger_.write_loss(Counted::memory, event.count);
      break;
  }
}

// Writes a distinct launch, once for each address of its kernel. Does nothing for an address that
// it has been written with.
void SliceWriter::write_launch(uint32_t number) {
  DistinctLaunch& launch = tables_.launches.at(number);
  if (!launch.written.empty() && writer_.needs_launch(number)) {
    launch.written.clear();
    launch.size_written = 0;
  }
  if (launch.what != DistinctLaunch::What::kernel) {
    write_launch_at(launch, 0, std::string(kOperationObject));
    return;
  }
  static const std::map<uint64_t, std::string> nowhere{{0, "[kernel]"}};
  if (launch.address != 0) {
    write_launch_at(launch, launch.address, launch.object);
    return;
  }
  const auto& known = written_code_[launch.device].kernel_addresses(launch.pid, launch.kernel);
  const bool is_nowhere = launch.is_code_untold || (known.empty() && launch.written.empty());
  const auto& addresses = is_nowhere ? nowhere : known;
  for (const auto& [address, object] : addresses) write_launch_at(launch, address, object);
}

// The size of the launches that are counted next; only where it is not that of those before.
void SliceWriter::write_size(LaunchKind kind) {
  DistinctLaunch& launch = tables_.launches.at(kind.number);
  if (launch.size_written == kind.size) return;
  launch.size_written = kind.size;
  writer_.size(kind.number, kind.size == 0 ? LaunchSize() : tables_.sizes.at(kind.size));
}

void SliceWriter::write_launch_at(DistinctLaunch& launch, uint64_t address,
                                  const std::string& object) {
  if (!launch.written.insert(address).second) return;
  if (!std::exchange(launch.is_counted, true) && launch.has_kernel()) ++tables_.totals.stacks;
  const GpustallOrigin origin{launch.comm, launch.pid, launch.tid, launch.device, launch.time};
  std::vector<GpustallFrame> frames;
  if (launch.has_kernel())
    add_frame(frames, {address, tables_.kernels.name(launch.kernel),
                       address == 0 ? GpustallFrame::kNoOffset : 0, object});
  for (const GpustallFrame* frame : launch.stack) add_frame(frames, *frame);
  writer_.launch(launch.number, origin, frames, event_of(launch.what));
}

std::string SliceWriter::path(const std::string& path) const {
  return is_redacted_ ? redacted_path(path) : path;
}

void SliceWriter::add_frame(std::vector<GpustallFrame>& frames, GpustallFrame frame) const {
  if (is_redacted_) {
    frame.symbol = redacted_symbol(frame.symbol);
    frame.object = redacted_path(frame.object);
  }
  frames.push_back(std::move(frame));
}

std::vector<GpustallFrame> SliceWriter::frames_of(const TimedSample& sample) const {
  std::vector<GpustallFrame> frames;
  if (sample.reason != 0)
    add_frame(frames,
              {0, tables_.reasons.name(sample.reason), GpustallFrame::kNoOffset, "[stall]"});
  if (sample.object == nullptr && sample.kernel != 0) {  // whose code is not told
    add_frame(frames,
              {0, tables_.kernels.name(sample.kernel), GpustallFrame::kNoOffset, "[kernel]"});
    return frames;
  }
  if (sample.object == nullptr) {
    add_frame(frames, {sample.address, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"});
    return frames;
  }
  const std::string& path = sample.object->path;
  const CodeObject::Function* function = sample.object->function_at(sample.address);
  if (function == nullptr)
    add_frame(frames, {sample.address, "[unknown]", GpustallFrame::kNoOffset, path});
  else
    add_frame(frames, {sample.address, function->name, sample.address - function->address, path});
  if ((function == nullptr || !function->own) && sample.kernel != 0)
    add_frame(frames, {sample.object->kernel_address(sample.kernel),
                       tables_.kernels.name(sample.kernel), 0, path});
  return frames;
}

// Finds the process of a sample whose hardware reports only low address bits: the one that has code
// there. With several such processes, the sample stays without one.
void SliceWriter::resolve_process(TimedSample& sample) {
  const auto known = address_bits_.find(sample.device);
  if (known == address_bits_.end()) return;
  const CodeMap::Found found =
      written_code_[sample.device].find_in_any_process(sample.address, known->second);
  if (found.several) add_saturating(tables_.totals.ambiguous, sample.count);
  if (found.object == nullptr) return;
  const unsigned bits = known->second;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  sample.pid = found.pid;
  sample.object = found.object;
  sample.address = found.object->address + ((sample.address - found.object->address) & mask);
  const CodeObject::Function* function = found.object->function_at(sample.address);
  if (function != nullptr) sample.kernel = function->kernel;
}

void SliceWriter::write_group(const SampleGroup& group, uint64_t slice_end) {
  TimedSample sample = group.sample;
  if (sample.pid == 0) resolve_process(sample);
  GpustallOrigin origin{tables_.comms.find(sample.pid, sample.time), sample.pid, sample.pid,
                        sample.device, slice_end};
  if (group.launch != 0) {
    const DistinctLaunch& launch = tables_.launches.at(group.launch);
    origin.comm = launch.comm;
    origin.tid = launch.tid;
  }
  const std::vector<GpustallFrame> frames = frames_of(sample);
  writer_.sample(group.launch, origin, sample.count, event_, frames);
  ledger_.write(Counted::samples, sample.count);
  if (sample.exposed > 0)
    writer_.sample(group.launch, origin, sample.exposed, kExposedEvent, frames);
}

}  // namespace aiflame::record
