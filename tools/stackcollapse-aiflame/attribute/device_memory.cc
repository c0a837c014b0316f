// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/device_memory.h"

#include <set>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/unit_scale.h"

namespace aiflame::collapse {

DeviceMemory::DeviceMemory(const MemorySettings& settings, const TimeStep& by_time,
                           FrameTables& tables, SampleOrigins& origins, DeviceCounts& counts)
    : settings_(settings), by_time_(by_time), tables_(tables), origins_(origins), counts_(counts) {}

void DeviceMemory::begin(uint64_t time) {
  if (!begin_) begin_ = time;
}

// "memory 0 : 17179869184 bytes"; `?` where that is not known
void DeviceMemory::take_header(const GpustallRecord& header) {
  std::string_view key = header.key, value = header.value;
  if (!take_prefix(key, "memory ")) return;
  const auto device = parse_number<uint64_t>(key);
  const auto bytes = parse_number<uint64_t>(take_field(value));
  if (!device) return;
  if (bytes && take_field(value) == kBytes)
    sizes_[*device] = *bytes;
  else
    sizes_.erase(*device);
}

void DeviceMemory::allocate(const Call& call, const GpustallRecord& allocated) {
  if (!live_) live_ = std::make_unique<LiveMemory>(settings_.at);
  live_->begin(begin_.value_or(allocated.start));
  const uint32_t interval =
      by_time_.is_set() ? tables_.texts.number(by_time_.name(allocated.start)) : 0;
  const uint32_t group = keys_.number(
      {call.stack, origins_.device(call.device), interval, call.passes ? uint32_t{1} : 0});
  if (group == groups_.size()) groups_.push_back({call.device, allocated.start});
  live_->allocate(call.pid, allocated.address, *allocated.count, group, call.device,
                  allocated.start);
}

void DeviceMemory::free(const GpustallRecord& freed) {
  if (!live_) live_ = std::make_unique<LiveMemory>(settings_.at);
  live_->begin(begin_.value_or(freed.start));
  live_->free(freed.pid, freed.address, freed.count, freed.device, freed.start);
}

void DeviceMemory::release(const GpustallRecord& released) {
  if (live_) live_->release(released.pid, released.start);
}

// The peaks of several devices are at different times, so that each has a root of its own.
void DeviceMemory::end_recording(const std::string& name) {
  if (live_) {
    live_->finish();
    const std::map<uint64_t, LiveMemory::Held> devices = live_->devices();
    const bool names_device = devices.size() > 1;
    std::map<uint64_t, uint32_t> roots;
    for (const auto& [device, held] : devices)
      roots[device] =
          names_device
              ? tables_.texts.number(format("device %llu", static_cast<unsigned long long>(device)))
              : 0;
    for (uint32_t group = 0; group < live_->groups(); ++group)
      count(group, roots.at(groups_[group].device));
    for (const auto& [device, held] : devices) {
      count_unknown(device, held, roots.at(device));
      add_note(name, device, names_device, held);
      unknown_sizes_ += settings_.allocated ? 0 : held.unknown_sizes;
    }
    allocations_ += live_->allocations();
    frees_ += live_->frees();
    freed_unseen_ += live_->freed_unseen();
  }
  live_.reset();
  begin_.reset();
  keys_ = {};
  groups_.clear();
  sizes_.clear();
}

// `device_root`: in texts; 0 = none.
void DeviceMemory::count(uint32_t group, uint32_t device_root) {
  const LiveMemory::Sum& sum =
      settings_.allocated ? live_->allocated(group) : live_->at_moment(group);
  if (sum.blocks == 0) return;
  const Key& key = keys_.key(group);
  DeviceCounts::Line line;
  line.event = kMemory;
  line.sampler = origins_.sampler(key.device);
  line.stack = key.stack;
  if (device_root != 0) {
    Stack stack = tables_.stacks.stack(key.stack);
    stack.root = tables_.texts.number(std::string(tables_.texts.text(device_root)) + ";" +
                                      std::string(tables_.texts.text(stack.root)));
    line.stack = tables_.stacks.number(stack);
  }
  counts_.read(kMemory, line.sampler, measure(sum));
  if (key.passes == 0) return counts_.filter_out(kMemory, measure(sum));
  counts_.add(line, groups_[group].time, measure(sum), How::exact);
  blocks_ += sum.blocks;
}

// What was allocated before the recording has no stack, and nobody knows when.
void DeviceMemory::count_unknown(uint64_t device, const LiveMemory::Held& held,
                                 uint32_t device_root) {
  if (settings_.allocated || held.unknown.blocks == 0) return;
  const std::string frame = "[alloc not recorded]";
  Stack stack;
  stack.root = tables_.texts.number(
      device_root == 0 ? frame : std::string(tables_.texts.text(device_root)) + ";" + frame);
  stack.callers = tables_.stacks.callers(nullptr, 0);
  DeviceCounts::Line line;
  line.event = kMemory;
  const uint32_t number = origins_.device(device);
  line.sampler = origins_.sampler(number);
  line.stack = tables_.stacks.number(stack);
  counts_.read(kMemory, line.sampler, measure(held.unknown));
  if (!origins_.passes(number)) return counts_.filter_out(kMemory, measure(held.unknown));
  counts_.add(line, std::nullopt, measure(held.unknown), How::unattributed);
  blocks_ += held.unknown.blocks;
}

void DeviceMemory::add_note(const std::string& input, uint64_t device, bool names_device,
                            const LiveMemory::Held& held) {
  Note note{input, device, names_device, ""};
  std::set<uint32_t> stacks;
  LiveMemory::Sum allocated;
  for (uint32_t group = 0; group < live_->groups(); ++group) {
    if (groups_[group].device != device) continue;
    const LiveMemory::Sum& sum =
        settings_.allocated ? live_->allocated(group) : live_->at_moment(group);
    if (sum.blocks > 0) stacks.insert(keys_.key(group).stack);
    allocated.bytes += live_->allocated(group).bytes;
    allocated.blocks += live_->allocated(group).blocks;
  }
  if (settings_.allocated) {
    note.text = "allocated " + bytes_text(allocated.bytes) + " in " +
                count_text(allocated.blocks, "block") + ", " + count_text(stacks.size(), "stack");
  } else {
    MemoryHeld words{held.live.bytes, held.unknown.bytes,
                     stacks.size() + (held.unknown.blocks > 0 ? 1 : 0), ""};
    if (const auto size = sizes_.find(device); size != sizes_.end())
      words.room = bytes_text(size->second) + " on the device";
    note.text = memory_text(moment_text(settings_.at), words);
  }
  notes_.push_back(std::move(note));
}

std::vector<std::string> DeviceMemory::notes() const {
  std::set<std::string> inputs;
  for (const Note& note : notes_) inputs.insert(note.input);
  std::vector<std::string> out;
  for (const Note& note : notes_) {
    std::string text;
    if (inputs.size() > 1) text += note.input + ": ";
    if (note.names_device)
      text += format("device %llu: ", static_cast<unsigned long long>(note.device));
    out.push_back(text + note.text);
  }
  return out;
}

Quantity DeviceMemory::quantity() const {
  Quantity out;
  out.event = settings_.allocated ? "gpu-memory-allocated" : "gpu-memory";
  out.unit = settings_.count ? "blocks" : std::string(kBytes);
  return out;
}

void DeviceMemory::report() const {
  if (freed_unseen_ > 0)
    warn("%s allocated again without having been freed",
         count_text(freed_unseen_, "block").c_str());
  if (unknown_sizes_ > 0)
    warn("%s of unknown size in [alloc not recorded]", count_text(unknown_sizes_, "block").c_str());
}

}  // namespace aiflame::collapse
