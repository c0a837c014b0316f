// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/sampled_code_table.h"

#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/recording/sampled_code.h"

namespace aiflame::annotate {
namespace {

using Kind = GpustallRecord::Kind;

// Instructions and reasons. A recording of that many takes about 1 GB.
constexpr size_t kMaxCounters = size_t{1} << 23;

// Sets of frames whose places are remembered, some 60 MB. Real recordings have some thousands.
constexpr size_t kMaxPlaces = size_t{1} << 18;

}  // namespace

std::string_view unit_of(std::string_view event) {
  if (event.empty()) return "";
  return event == "gpu-stall" ? "stalls" : "samples";
}

void SampledCodeTable::read(ByteSource&& source) {
  GpustallReader reader(std::move(source));
  GpustallRecord record;
  bool recorded = false;
  while (reader.next(record)) {
    if (!record.recorded) continue;
    recorded = true;
    take(reader, record);
  }
  recording_.forget();
  places_.clear();
  if (!recorded) throw Error(reader.name() + ": expected a gpustall(5) recording");
  if (reader.cuts() > 0)
    warn("%s: recording is cut short; read up to line %llu", reader.name().c_str(),
         static_cast<unsigned long long>(reader.cut_line()));
}

void SampledCodeTable::take(const GpustallReader& reader, const GpustallRecord& record) {
  recording_.take(reader, record);
  switch (record.kind) {
    case Kind::recording:
    case Kind::mapped:
    case Kind::unmapped:
      places_.clear();  // the same frames may be other code now
      return;
    case Kind::sample:
      break;
    default:
      return;
  }
  if (!is_device_sample(record)) return;
  EventSamples& event = events_[std::string(record.event)];
  const uint64_t count = *record.period;
  add_samples(event.read, count);
  Place& place = place_of(reader, record);
  if (place.function == nullptr) {
    event.outside += count;  // these sums are parts of the one that was checked
    return;
  }
  place.function->count += count;
  place.instruction->count += count;
  if (place.reason != nullptr) *place.reason += count;
}

SampledCodeTable::Place& SampledCodeTable::place_of(const GpustallReader& reader,
                                                    const GpustallRecord& sample) {
  const uint64_t where[] = {static_cast<uint64_t>(sample.pid), sample.cpu.value_or(0)};
  key_.assign(reinterpret_cast<const char*>(where), sizeof where);
  key_.append(sample.event);
  for (const std::string_view line : sample.frames) key_.append("\n").append(line);
  if (places_.size() >= kMaxPlaces) places_.clear();
  const auto [at, added] = places_.try_emplace(key_);
  if (added) at->second = find_place(reader, sample);
  return at->second;
}

SampledCodeTable::Place SampledCodeTable::find_place(const GpustallReader& reader,
                                                     const GpustallRecord& sample) {
  const SampledCode code = sampled_code(reader, sample);
  const auto place = recording_.place(sample, code.address);
  if (!place && (!code.offset || code.kernel == "[unknown]")) return {};
  const uint64_t offset = place ? place->file_offset : *code.offset;
  FunctionKey key;
  key.kernel = code.kernel;
  if (!code.helpers.empty()) key.function = code.helpers.back();
  if (place) key.object = *place->path;
  key.start = offset - std::min(offset, code.offset.value_or(0));
  Place out;
  out.function = &events_.find(sample.event)->second.functions[std::move(key)];
  auto [at, added] = out.function->instructions.try_emplace(offset);
  out.instruction = &at->second;
  if (!code.reason.empty()) {
    auto [reason, is_new] = out.instruction->reasons.try_emplace(std::string(code.reason));
    out.reason = &reason->second;
    added |= is_new;
  }
  if (added && ++counters_ > kMaxCounters)
    throw Error(reader.place(sample) + ": more than 8388608 instructions and reasons");
  return out;
}

const EventSamples& SampledCodeTable::samples(const std::string& event) const {
  static const EventSamples kNone;
  const auto found = events_.find(event);
  return found == events_.end() ? kNone : found->second;
}

std::string SampledCodeTable::choose(const std::string& event) const {
  std::string known;
  for (const std::string_view each : kEvents) {
    if (events_.find(each) == events_.end()) continue;
    if (event.empty() || event == each) return std::string(each);
    known.append(known.empty() ? "" : ", ").append(each);
  }
  if (event.empty()) return "";
  throw Error(format("no samples of event '%s'; there %s", event.c_str(),
                     known.empty() ? "are none at all" : ("are those of " + known).c_str()));
}

}  // namespace aiflame::annotate
