// SPDX-License-Identifier: MIT
// A trace of Perfetto 58 or newer: packets, of which each sample is a StackSample.
//
//   0a … packet {10 sequence 1, 13 flags: state cleared, 59 defaults {100 {source, counter}}}
//   0a … packet {60 a process: its number and name}
//   0a … packet {8 time, 10 sequence, 13 flags, 12 new names, frames and callstacks,
//                135 stack_sample {1 task {pid, tid}, 6 callstack, 11 weight}}
//
// Names, frames and callstacks are numbered from 1 and written once, in front of the sample that
// uses them first. Each profile is a packet sequence of its own, with its own numbers.
#include <protozero/pbf_writer.hpp>

#include "libcommon/folded/time_slice.h"
#include "tools/aiflame-export/profile_writer.h"
#include "tools/aiflame-export/string_table.h"
#include "tools/aiflame-export/value_types.h"

namespace aiflame::exporter {
namespace {

using protozero::pbf_writer;

constexpr uint32_t kPacket = 1;  // of Trace

// Fields of TracePacket.
enum : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
  kClock = 58,
  kDefaults = 59,
  kStackSample = 135,
};
enum : uint32_t { kStateCleared = 1, kNeedsState = 2 };  // flags of a sequence
constexpr uint32_t kMonotonic = 3;                       // CLOCK_MONOTONIC, the recorder's clock
constexpr size_t kBlock = size_t{64} << 10;              // bytes that are handed on at a time

// Perfetto's names of units; what it has none for is a text.
int32_t unit_of(std::string_view unit) {
  constexpr int32_t kUnitNanoseconds = 1, kUnitBytes = 4, kUnitCount = 9;
  if (unit == "nanoseconds") return kUnitNanoseconds;
  if (unit == "bytes") return kUnitBytes;
  return unit == "count" ? kUnitCount : 0;
}

class PerfettoWriter {
 public:
  PerfettoWriter(Profiles& profiles, const Write& write)
      : profiles_(profiles), write_(write), processes_(profiles.frames) {}

  void write() {
    write_clock();
    for (const Profile& profile : profiles_.all) write_profile(profile);
    hand_on(0);
  }

 private:
  // What is one packet sequence.
  struct Sequence {
    explicit Sequence(const FrameTable& table) : frames(table) {}
    uint32_t number = 0;
    UsedFrames frames;
    StringTable files;            // from 1
    uint32_t callstack = 0;       // the last one
    std::vector<uint32_t> stack;  // its frames
  };

  void hand_on(size_t least) {
    if (bytes_.size() < least) return;
    write_(bytes_);
    bytes_.clear();
  }

  // Times are the trace's own: nothing has to be converted.
  void write_clock() {
    pbf_writer packet(out_, kPacket);
    pbf_writer snapshot(packet, kClockSnapshot);
    {
      pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, kMonotonic);
      clock.add_uint64(2, 0);
    }
    snapshot.add_enum(2, kMonotonic);  // primary_trace_clock
  }

  void write_profile(const Profile& profile) {
    Sequence sequence(profiles_.frames);
    sequence.number = ++sequences_;
    const ValueTypes types = value_types(profile.quantity);
    write_defaults(sequence, profile, types.values.front());
    each_sample(profiles_.samples, profile, [&](const Sample& sample) {
      write_sample(sequence, sample, types.values.front());
      hand_on(kBlock);
    });
  }

  void write_defaults(const Sequence& sequence, const Profile& profile, const ValueType& type) {
    pbf_writer packet(out_, kPacket);
    packet.add_uint32(kSequence, sequence.number);
    packet.add_uint32(kSequenceFlags, kStateCleared);
    pbf_writer defaults(packet, kDefaults);
    defaults.add_uint32(kClock, kMonotonic);
    pbf_writer samples(defaults, 100);  // stack_sample_defaults
    const std::string& event = profile.quantity.event;
    samples.add_string(1, event.empty() ? "aiflame" : "aiflame." + event);
    pbf_writer counter(samples, 2);  // primary_descriptor
    counter.add_string(2, type.type);
    if (const int32_t unit = unit_of(type.unit))
      counter.add_enum(3, unit);
    else
      counter.add_string(4, type.unit);
  }

  // The number of the process that a stack's first frame names; folded text has no ids.
  uint32_t process(uint32_t frame) {
    const size_t known = processes_.size();
    const uint32_t number = processes_.number(frame) + 1;
    if (processes_.size() == known) return number;
    pbf_writer packet(out_, kPacket);
    packet.add_uint32(kSequence, sequences_);
    pbf_writer track(packet, kTrackDescriptor);
    track.add_uint64(1, number);  // uuid
    pbf_writer its(track, 3);
    its.add_int32(1, static_cast<int32_t>(number));
    const std::string_view name = profiles_.frames.text(frame);
    its.add_string(6, name.data(), name.size());
    return number;
  }

  void write_sample(Sequence& sequence, const Sample& sample, const ValueType& type) {
    stack_ = sample.frames;
    const std::optional<uint64_t> time = slice_start(profiles_.frames.text(stack_.front()));
    if (time && stack_.size() > 1) stack_.erase(stack_.begin());
    const uint32_t number = process(stack_.front());
    pbf_writer packet(out_, kPacket);
    packet.add_uint64(kTimestamp, time.value_or(0));
    packet.add_uint32(kSequence, sequence.number);
    packet.add_uint32(kSequenceFlags, kNeedsState);
    if (stack_ != sequence.stack) intern(packet, sequence);
    pbf_writer message(packet, kStackSample);
    {
      pbf_writer task(message, 1);
      task.add_uint32(2, number);
      task.add_uint32(3, number);
    }
    message.add_uint64(6, sequence.callstack);
    message.add_uint64(11, value_of(sample.count, type));
  }

  // Numbers the stack, and what of it is new.
  void intern(pbf_writer& packet, Sequence& sequence) {
    sequence.stack = stack_;
    ++sequence.callstack;
    pbf_writer data(packet, kInternedData);
    ids_.clear();
    for (const uint32_t frame : stack_) {
      const size_t known = sequence.frames.size();
      ids_.push_back(sequence.frames.number(frame) + 1);
      if (sequence.frames.size() > known) add_frame(data, sequence, frame, ids_.back());
    }
    pbf_writer callstack(data, 7);
    callstack.add_uint64(1, sequence.callstack);
    for (const uint64_t id : ids_) callstack.add_uint64(2, id);  // proto2: not packed
  }

  // A frame has the number of its name.
  void add_frame(pbf_writer& data, Sequence& sequence, uint32_t frame, uint64_t id) {
    const std::string_view text = profiles_.frames.text(frame);
    const SourcePlace place = source_place(text);
    {
      pbf_writer name(data, 5);
      name.add_uint64(1, id);
      name.add_bytes(2, text.data(), text.size());
    }
    uint32_t file = 0;
    if (!place.file.empty()) {
      const size_t known = sequence.files.size();
      file = sequence.files.number(place.file);
      if (sequence.files.size() > known) {
        pbf_writer path(data, 18);
        path.add_uint64(1, file);
        path.add_bytes(2, place.file.data(), place.file.size());
      }
    }
    pbf_writer message(data, 6);
    message.add_uint64(1, id);
    message.add_uint64(2, id);
    if (file > 0) message.add_uint64(5, file);
    if (place.line > 0) message.add_uint32(6, static_cast<uint32_t>(place.line));
  }

  Profiles& profiles_;
  const Write& write_;
  UsedFrames processes_;
  std::string bytes_;
  pbf_writer out_{bytes_};
  uint32_t sequences_ = 0;
  std::vector<uint32_t> stack_;
  std::vector<uint64_t> ids_;
};

}  // namespace

void write_perfetto(Profiles& profiles, const Write& write) {
  PerfettoWriter(profiles, write).write();
}

}  // namespace aiflame::exporter
