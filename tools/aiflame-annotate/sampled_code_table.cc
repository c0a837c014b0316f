// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/sampled_code_table.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/perf_data/perf_data.h"
#include "libcommon/recording/sampled_code.h"
#include "tools/aiflame-annotate/folded_samples.h"
#include "tools/aiflame-annotate/perf_data_samples.h"

namespace aiflame::annotate {
namespace {

using Kind = GpustallRecord::Kind;

// Instructions and reasons. A recording of that many takes about 1 GB.
constexpr size_t kMaxCounters = size_t{1} << 23;

// Sets of frames whose places are remembered, some 60 MB. Real recordings have some thousands.
constexpr size_t kMaxPlaces = size_t{1} << 18;

// What the counts of an event are.
std::string unit_of(std::string_view event) {
  if (event == kDeviceEvents[0] || event == kExposedEvent) return "stalls";
  if (event == kDeviceEvents[1]) return "samples";
  const std::string_view name = event.substr(0, event.find(':'));
  if (name == "cpu-clock" || name == "task-clock") return "ns";
  return name == "cycles" || name == "cpu-cycles" ? "cycles" : "events";
}

// Comments and a first stack.
constexpr size_t kPeeked = size_t{64} << 10;

void add(const EventSamples& from, EventSamples& to) {
  add_samples(to.read, from.read);
  to.outside += from.outside;
  for (const auto& [key, its] : from.functions) {
    FunctionSamples& function = to.functions[key];
    function.count += its.count;
    function.names.insert(its.names.begin(), its.names.end());
    for (const auto& [at, samples] : its.instructions) {
      function.instructions[at].count += samples.count;
      for (const auto& [reason, count] : samples.reasons)
        function.instructions[at].reasons[reason] += count;
    }
  }
}

}  // namespace

EventSamples& SampledCodeTable::event(std::string_view name) {
  if (const auto known = events_.find(name); known != events_.end()) return known->second;
  order_.emplace_back(name);
  EventSamples& out = events_[order_.back()];
  out.unit = unit_of(name);
  return out;
}

// `place`: in the input.
void SampledCodeTable::count_instruction(const std::string& place) {
  if (++counters_ > kMaxCounters)
    throw Error(place + ": more than 8388608 instructions and reasons");
}

void SampledCodeTable::read_perf_data(ByteSource&& source, const std::string& directory) {
  const std::string name = source.name();
  PerfDataSamples samples([&](std::string_view event_name, const PerfCode& code, uint64_t count) {
    EventSamples& counts = event(event_name);
    add_samples(counts.read, count);
    if (code.symbol.empty()) {
      counts.outside += count;
      return;
    }
    FunctionSamples& function = counts.functions[{code.symbol, "", code.object, code.start}];
    function.count += count;
    const auto [at, added] = function.instructions.try_emplace(code.position);
    at->second.count += count;
    if (added) count_instruction(name);
  });
  samples.read(std::move(source), directory);
}

void SampledCodeTable::read_folded_text(ByteSource&& source) {
  const std::string name = source.name();
  // the unit may be said at the end
  EventSamples all, exposed;
  const Quantity quantity =
      read_folded(std::move(source), [&](const FoldedCode& code, uint64_t count) {
        for (EventSamples* counts : {&all, &exposed}) {
          if (counts == &exposed && !code.exposed) continue;
          add_samples(counts->read, count);
          if (code.kernel.empty()) {
            counts->outside += count;
            continue;
          }
          FunctionSamples& function = counts->functions[{code.kernel, code.function, "", 0}];
          function.count += count;
          const auto [at, added] = function.instructions.try_emplace(code.offset);
          if (added) count_instruction(name);
          InstructionSamples& it = at->second;
          it.count += count;
          if (!code.reason.empty() && it.reasons.try_emplace(code.reason).second)
            count_instruction(name);
          if (!code.reason.empty()) it.reasons[code.reason] += count;
          InstructionName& its = function.names[code.offset];
          if (its.mnemonic.empty()) its.mnemonic = code.mnemonic;
          if (its.line == 0) its.file = code.file;
          if (its.line == 0) its.line = code.line;
        }
      });
  const std::string event_name = quantity.event.empty() ? "samples" : quantity.event;
  EventSamples& counts = event(event_name);
  if (quantity.is_known()) counts.unit = quantity.unit;
  add(all, counts);
  if (exposed.read > 0) add(exposed, event(kExposedEvent));
}

void SampledCodeTable::read(ByteSource&& source) {
  if (is_perf_data(source.peek(8))) {
    read_perf_data(std::move(source), "");
    return;
  }
  if (is_folded(source.peek(kPeeked))) {
    read_folded_text(std::move(source));
    return;
  }
  GpustallReader reader(std::move(source));
  GpustallRecord record;
  bool recorded = false;
  while (reader.next(record)) {
    if (!record.recorded) continue;
    recorded = true;
    take(reader, record);
    if (!recording_.contradiction().empty()) warn("%s", recording_.contradiction().c_str());
  }
  recording_.forget();
  places_.clear();
  if (!recorded)
    throw Error(reader.name() + ": expected a gpustall(5) recording, perf.data or folded text");
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
  if (!is_device_sample(record) && !is_exposed_sample(record)) return;
  EventSamples& counts = event(record.event);
  const uint64_t count = *record.period;
  add_samples(counts.read, count);
  Place& place = place_of(reader, record);
  if (place.function == nullptr) {
    counts.outside += count;  // these sums are parts of the one that was checked
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
  out.function = &event(sample.event).functions[std::move(key)];
  auto [at, added] = out.function->instructions.try_emplace(offset);
  out.instruction = &at->second;
  if (!code.reason.empty()) {
    auto [reason, is_new] = out.instruction->reasons.try_emplace(std::string(code.reason));
    out.reason = &reason->second;
    added |= is_new;
  }
  if (added) count_instruction(reader.place(sample));
  return out;
}

const EventSamples& SampledCodeTable::samples(const std::string& event) const {
  static const EventSamples kNone;
  const auto found = events_.find(event);
  return found == events_.end() ? kNone : found->second;
}

const EventSamples* SampledCodeTable::exposed(const std::string& event) const {
  const auto found = events_.find(kExposedEvent);
  return event != kDeviceEvents[0] || found == events_.end() ? nullptr : &found->second;
}

std::string SampledCodeTable::choose(const std::string& event) const {
  if (!event.empty()) {
    if (events_.count(event) > 0) return event;
    std::string known;
    for (const std::string& each : order_) known.append(known.empty() ? "" : ", ").append(each);
    throw Error(format("no samples of event '%s'; there %s", event.c_str(),
                       known.empty() ? "are none at all" : ("are those of " + known).c_str()));
  }
  for (const std::string_view each : kDeviceEvents)
    if (events_.find(each) != events_.end()) return std::string(each);
  return order_.empty() ? "" : order_.front();
}

}  // namespace aiflame::annotate
