// SPDX-License-Identifier: MIT
#include "libcommon/recording/recording.h"

#include <algorithm>
#include <string>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"

namespace aiflame {

using Kind = GpustallRecord::Kind;

void Recording::forget() {
  *this = Recording();
}

void Recording::take(const GpustallReader& reader, const GpustallRecord& record) {
  switch (record.kind) {
    case Kind::recording:
      forget();
      break;
    case Kind::mapped:
      objects_.map(record.cpu.value_or(0), record.pid, record.address, record.size,
                   record.file_offset, std::string(record.path));
      break;
    case Kind::unmapped:
      objects_.unmap(record.cpu.value_or(0), record.pid, record.address, record.size);
      break;
    case Kind::launch:
      launch_ = record.launch;
      break;
    case Kind::launched:
      check_launch(reader, record, record.launch);
      add_samples(launch_count_, *record.count);
      break;
    case Kind::size:
    case Kind::hidden:
      check_launch(reader, record, record.launch);
      break;
    case Kind::waited:
    case Kind::allocated:
      check_known(reader, record);
      break;
    case Kind::idle:
      if (record.launch != 0) check_known(reader, record);
      break;
    case Kind::slice:
      take_slice(record);
      break;
    case Kind::end:
      check_end(reader, record);
      break;
    case Kind::header:
    case Kind::freed:
    case Kind::released:
    case Kind::lost:
    case Kind::comment:
      break;
    case Kind::sample:
      if (is_launch_sample(record)) {
        take_launch(reader, record);
      } else if (is_call_sample(record) || is_allocation_sample(record)) {
        check_number(reader, record, launches_);
        calls_.insert(launch_);
      } else if (is_device_sample(record) || is_exposed_sample(record)) {
        if (launch_ != 0) check_launch(reader, record, launch_);
        if (is_device_sample(record)) add_samples(sample_count_, *record.period);
      }
      break;
  }
}

// Slices of several devices overlap: the time is what they cover together.
void Recording::take_slice(const GpustallRecord& slice) {
  slice_start_ = slice.start;
  launch_ = 0;
  const uint64_t from = std::max(slice.start, slice_end_);
  if (slice.stop <= from) return;
  slice_time_ += slice.stop - from;
  slice_end_ = slice.stop;
}

// `others`: the numbers that define something else.
void Recording::check_number(const GpustallReader& reader, const GpustallRecord& sample,
                             const std::unordered_set<uint64_t>& others) const {
  if (launch_ == 0)
    throw Error(reader.place(sample) + ": a " + std::string(sample.event) +
                " needs '# launch N' before it");
  if (launch_ > kMaxLaunch)
    throw Error(reader.place(sample) + ": a launch number of more than 9223372036854775807");
  if (others.count(launch_) != 0)
    throw Error(format("%s: launch %llu is defined both as gpu-launch and as gpu-call",
                       reader.place(sample).c_str(), static_cast<unsigned long long>(launch_)));
}

void Recording::take_launch(const GpustallReader& reader, const GpustallRecord& sample) {
  check_number(reader, sample, calls_);
  kernel_ = {};
  if (sample.frames.empty() || !parse_frame(sample.frames.front(), kernel_))
    throw Error(reader.place(sample) + ": a gpu-launch needs its kernel as first frame");
  launches_.insert(launch_);
}

// A launch, or a call that launches nothing.
void Recording::check_known(const GpustallReader& reader, const GpustallRecord& record) const {
  if (calls_.count(record.launch) == 0) check_launch(reader, record, record.launch);
}

void Recording::check_launch(const GpustallReader& reader, const GpustallRecord& record,
                             uint64_t launch) const {
  if (launches_.count(launch) == 0)
    throw Error(format("%s: launch %llu is not known", reader.place(record).c_str(),
                       static_cast<unsigned long long>(launch)));
}

// "… says it has 67 samples and 2 launches, but 68 and 3 are here": what differs.
void Recording::check_end(const GpustallReader& reader, const GpustallRecord& end) {
  std::string claimed, here;
  const auto check = [&](const char* what, const std::optional<uint64_t>& claim, uint64_t read) {
    if (!claim || *claim == read) return;
    const char* separator = claimed.empty() ? "" : " and ";
    claimed += format("%s%llu %s", separator, static_cast<unsigned long long>(*claim), what);
    here += format("%s%llu", separator, static_cast<unsigned long long>(read));
  };
  check("samples", end.samples, sample_count_);
  check("launches", end.launches, launch_count_);
  contradiction_.clear();
  if (!claimed.empty())
    contradiction_ = reader.place(end) + ": the recording says it has " + claimed + ", but " +
                     here + " are here";
}

std::optional<DeviceObjects::Place> Recording::place(const GpustallRecord& record,
                                                     uint64_t address) const {
  if (address == 0) return std::nullopt;
  return objects_.find(record.cpu.value_or(0), record.pid, address);
}

}  // namespace aiflame
