// SPDX-License-Identifier: MIT
// The part of Collapse that reads gpustall(5).
#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/attribute/device_events.h"
#include "tools/stackcollapse-aiflame/collapse.h"
#include "tools/stackcollapse-aiflame/fold/checked_sum.h"

namespace aiflame::collapse {
namespace {

using Kind = GpustallRecord::Kind;

// For keys: as bytes, text is not needed.
void append_place(const std::optional<CodePlace>& place, std::string& key) {
  if (!place) return;
  key.append(reinterpret_cast<const char*>(&place->file_offset), sizeof place->file_offset);
  key.append(place->path).append("\n");
}

}  // namespace

void Collapse::begin_recording() {
  end_recording();
  devices_ = 0;
}

void Collapse::end_recording() {
  attribution_.forget();
  objects_.forget();
  forget_codes();
  launches_.clear();
  statistics_.recorded += slice_time_ * std::max<uint64_t>(devices_, 1);
  current_launch_ = 0;
  recording_samples_ = recording_launches_ = 0;
  slice_time_ = covered_ = 0;
  slice_start_.reset();
  origins_.forget_devices();
  sliced_ = false;
  launches_until_ = 0;
}

void Collapse::take_recorded(const GpustallReader& reader, const GpustallRecord& record) {
  switch (record.kind) {
    case Kind::recording:
      begin_recording();
      break;
    case Kind::header:
      take_header(record);
      break;
    case Kind::mapped:
      objects_.map(record.cpu.value_or(0), record.pid, record.address, record.size,
                   record.file_offset, std::string(record.path));
      forget_codes();
      break;
    case Kind::unmapped:
      objects_.unmap(record.cpu.value_or(0), record.pid, record.address, record.size);
      forget_codes();
      break;
    case Kind::launch:
      current_launch_ = record.launch;
      break;
    case Kind::launched:
      take_launched(reader, record);
      break;
    case Kind::slice:
      take_slice(record);
      break;
    case Kind::lost:
      if (record.of_launches) {
        add_checked(statistics_.lost_launches, record.count.value_or(0));
        statistics_.lost_launches_unknown |= !record.count;
      } else {
        add_checked(statistics_.lost, record.count.value_or(0));
        statistics_.lost_unknown |= !record.count;
      }
      break;
    case Kind::end:
      take_end(reader, record);
      break;
    case Kind::comment:
      break;
    case Kind::sample:
      if (record.event == "gpu-launch")
        define_launch(reader, record);
      else if (record.event == "gpu-stall" || record.event == "gpu-clock")
        take_device_sample(reader, record);
      else if (draws(record))
        count(record, stack_of(record, 0));
      break;
  }
}

void Collapse::take_header(const GpustallRecord& record) {
  if (record.key == "launches by" && record.value == "uprobe") attribution_.presume_unknown_code();
  std::string_view number = record.key;
  if (!take_prefix(number, "device ")) return;
  ++devices_;
  if (const auto index = parse_number<uint64_t>(number))
    origins_.describe_device(*index, record.value);
}

std::optional<CodePlace> Collapse::place_of(const GpustallRecord& record, uint64_t address) const {
  if (address == 0) return std::nullopt;
  const auto found = objects_.find(record.cpu.value_or(0), record.pid, address);
  if (!found) return std::nullopt;
  return CodePlace{*found->path, found->file_offset};
}

void Collapse::define_launch(const GpustallReader& reader, const GpustallRecord& record) {
  if (current_launch_ == 0)
    throw Error(reader.place(record) + ": a gpu-launch needs '# launch N' before it");
  if (current_launch_ >= kPerfLaunch)
    throw Error(reader.place(record) + ": a launch number of more than 9223372036854775807");
  ScriptFrame kernel;
  if (record.frames.empty() || !parse_frame(record.frames.front(), kernel))
    throw Error(reader.place(record) + ": a gpu-launch needs its kernel as first frame");
  const auto [at, added] = launches_.try_emplace(current_launch_);
  Launch& launch = at->second;
  if (added) {
    launch.kernel = texts_.number(kernel.symbol);
    launch.stack = stack_of(record, 1);
    launch.device = origins_.device(record.cpu.value_or(0));
    launch.name = origins_.kernel(kernel.symbol);
    launch.of_driver = kernel.symbol == kDriverKernel;
    launch.thread = origins_.thread(record);
  }
  const bool nameless = kernel.symbol == "[unknown kernel]";
  const uint64_t start = kernel.address - kernel.offset;
  attribution_.define(current_launch_, record.pid,
                      nameless ? Attribution::kUnknownKernel : launch.kernel,
                      kernel.address == 0 ? 0 : start);
  if (launch.of_driver) attribution_.is_opaque(current_launch_);
  if (kernel.address != 0) launch.start = place_of(record, start);
}

void Collapse::take_launched(const GpustallReader& reader, const GpustallRecord& record) {
  const auto launch = launches_.find(record.launch);
  if (launch == launches_.end())
    throw Error(format("%s: launch %llu is not known", reader.place(record).c_str(),
                       static_cast<unsigned long long>(record.launch)));
  add_checked(recording_launches_, *record.count);
  attribution_.launched(record.launch, *record.count, record.busy);
  add_checked(statistics_.launches, *record.count);
  if (!record.busy) return;
  statistics_.busy_measured = true;
  add_checked(statistics_.busy, *record.busy);
  if (*record.busy == 0) return;
  // gpu-time: a stack that ends with the kernel
  DeviceCode code;
  code.kernel = texts_.text(launch->second.kernel);
  code.start = launch->second.start;
  key_.assign("t").append(code.kernel).append("\n");
  append_place(code.start, key_);
  bool added = false;
  const uint32_t number = codes_.number(key_, &added);
  if (added) code_texts_.push_back(texts_.number(device_frames_.fold(code)));
  const Launch& whose = launch->second;
  device_time_ = slice_start_;
  give(cells_.number({kTime, 0, code_texts_[number], whose.device, whose.name, whose.thread}),
       record.launch, *record.busy, How::exact);
}

void Collapse::take_slice(const GpustallRecord& record) {
  attribution_.end_slice();
  slice_start_ = record.start;
  add_launches(record.start, record.stop);
  current_launch_ = 0;
  // slices of several devices overlap: the time recorded is what they cover together
  const uint64_t from = std::max(record.start, covered_);
  if (record.stop > from) {
    slice_time_ += record.stop - from;
    covered_ = record.stop;
  }
}

// What a device sample's lines say, wherever else they stand while the same objects are loaded.
Collapse::KnownCode Collapse::code_of(const GpustallReader& reader, const GpustallRecord& record) {
  const uint64_t where[] = {static_cast<uint64_t>(record.pid), record.cpu.value_or(0)};
  key_.assign(reinterpret_cast<const char*>(where), sizeof where);
  for (const std::string_view line : record.frames) key_.append(line).append("\n");
  const Digest digest = digester_.of(key_, 0);
  const uint32_t known = code_numbers_.find(digest);
  if (known != code_numbers_.kNone) return known_codes_[known];
  code_numbers_.set(digest, static_cast<uint32_t>(known_codes_.size()));
  known_codes_.push_back(read_code(reader, record));
  return known_codes_.back();
}

// An object came or went: the same address may be other code now.
void Collapse::forget_codes() {
  code_numbers_ = {};
  known_codes_.clear();
}

Collapse::KnownCode Collapse::read_code(const GpustallReader& reader,
                                        const GpustallRecord& record) {
  // leaf first: `0 REASON ([stall])`, helpers, the kernel
  std::vector<ScriptFrame>& frames = device_code_;
  frames.clear();
  DeviceCode code;
  for (const std::string_view line : record.frames) {
    ScriptFrame frame;
    if (!parse_frame(line, frame))
      throw Error(reader.place(record) + ": a frame of this sample has no address");
    if (frame.object == "[stall]" && frame.address == 0 && frames.empty())
      code.reason = frame.symbol;
    else
      frames.push_back(frame);
  }
  KnownCode out;
  if (!frames.empty()) {
    const ScriptFrame& leaf = frames.front();
    const ScriptFrame& kernel = frames.back();
    code.kernel = kernel.symbol;
    for (size_t i = frames.size() - 1; i-- > 0;) code.helpers.push_back(frames[i].symbol);
    if (leaf.has_offset) code.offset = leaf.offset;
    code.place = place_of(record, leaf.address);
    if (kernel.has_offset && kernel.address >= kernel.offset)
      out.start = kernel.address - kernel.offset;
    code.start = place_of(record, out.start);
    if (kernel.symbol != "[unknown]") out.kernel = texts_.number(kernel.symbol);
  }
  out.name = origins_.kernel(code.kernel);
  // The lines and where their object stood say all that is drawn: named once, then looked up.
  key_.assign("s");
  for (const std::string_view line : record.frames) key_.append(line).append("\n");
  for (const auto* place : {&code.place, &code.start}) append_place(*place, key_);
  bool added = false;
  const uint32_t number = codes_.number(key_, &added);
  if (added) code_texts_.push_back(texts_.number(device_frames_.fold(code)));
  out.text = code_texts_[number];
  if (out.kernel == Attribution::kUnknownKernel && driver_codes_.count(out.text) == 0) {
    DeviceCode driver;
    driver.kernel = kDriverKernel;
    driver.reason = code.reason;
    driver_codes_[out.text] = texts_.number(device_frames_.fold(driver));
  }
  return out;
}

void Collapse::take_device_sample(const GpustallReader& reader, const GpustallRecord& record) {
  if (current_launch_ != 0 && launches_.count(current_launch_) == 0)
    throw Error(format("%s: launch %llu is not known", reader.place(record).c_str(),
                       static_cast<unsigned long long>(current_launch_)));
  if (!sliced_) add_launches(0, UINT64_MAX);
  const KnownCode code = code_of(reader, record);
  DeviceSample sample;
  sample.pid = record.pid;
  sample.launch = current_launch_;
  sample.count = *record.period;
  sample.kernel = code.kernel;
  sample.address = code.start;
  const uint32_t event = record.event == "gpu-stall" ? kStall : kClockSample;
  sample.cell =
      cells_.number({event, known_.root(record), code.text, origins_.device(record.cpu.value_or(0)),
                     code.name, origins_.thread(record)});
  device_time_ = slice_start_ ? slice_start_ : record.time;
  device_event_seen_[event] = true;
  add_checked(device_events_[event].samples, sample.count);
  add_checked(recording_samples_, sample.count);
  attribution_.sample(sample);
}

void Collapse::take_end(const GpustallReader& reader, const GpustallRecord& record) {
  const auto check = [&](const char* what, const std::optional<uint64_t>& told, uint64_t read) {
    if (told && *told != read)
      throw Error(format("%s: the recording says it has %llu %s, but %llu are here",
                         reader.place(record).c_str(), static_cast<unsigned long long>(*told), what,
                         static_cast<unsigned long long>(read)));
  };
  check("samples", record.samples, recording_samples_);
  check("launches", record.launches, recording_launches_);
  end_recording();
}

void Collapse::give(uint32_t cell, uint64_t launch, uint64_t count, How how) {
  Cell what = cells_.key(cell);
  bool of_driver = false;
  if (how == How::presumed)
    if (const auto known = launches_.find(launch); known != launches_.end())
      of_driver = known->second.of_driver;
  if (of_driver) {
    what.code = driver_codes_.at(what.code);
    what.kernel = launches_.at(launch).name;
  }
  const uint32_t event = what.event;
  EventCounts& counts = device_events_[event];
  device_event_seen_[event] = true;
  if (event == kTime) add_checked(counts.samples, count);
  if (!origins_.passes(what.device) || !origins_.passes(what.kernel) ||
      !passes_thread(launch, what.thread) || !filter_.passes_time(device_time_)) {
    add_checked(counts.filtered, count);
    return;
  }
  switch (how) {
    case How::exact:
      add_checked(counts.exact, count);
      break;
    case How::apportioned:
      add_checked(counts.apportioned, count);
      break;
    case How::presumed:
      add_checked(counts.apportioned, count);
      add_checked(of_driver ? counts.of_driver : counts.nameless, count);
      break;
    case How::unattributed:
      add_checked(counts.unattributed, count);
      break;
  }
  const DeviceLine line = {event, launch == 0 ? kNoStack : launch_stack(launch),
                           launch == 0 ? what.root : 0, what.code, interval(device_time_)};
  device_counts_.add(device_lines_.number(line), count);
}

}  // namespace aiflame::collapse
