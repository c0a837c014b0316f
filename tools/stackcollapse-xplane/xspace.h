// SPDX-License-Identifier: MIT
// XSpace, the message of xplane.proto that XLA's profiler writes:
//
//   0a 9d b2 08 12 0e "/host:metadata" …    1 plane {2 name, 3 lines, 4 and 5 tables, 6 facts}
//   22 0c "934987a2fc2f"                     4 the host; 2 and 3 are errors and warnings
//
// A plane is a device, or the host; a line is a stream, or a thread:
//
//   1a … 18 ae e3 ec 98 24  22 1d …          3 line {3 timestamp_ns, 4 events}
//   08 13  10 a0 d4 f8 ba 02  18 80 b1 b4 01    event {1 name's id, 2 offset_ps, 3 duration_ps,
//   22 04 08 08 18 02                            4 stat {1 id of its name, 3 a number}}
//   22 17 08 13 12 13 08 13 12 0f "wrapped…"  4 name of events {1 id, 2 {1 id, 2 name, 5 stats}}
//   2a 10 08 0f 12 0c 08 0f 12 06 "hlo_op"    5 name of stats
//
// Ids are of a plane. Its tables stand behind its lines, so a plane is gone over twice. All texts
// are views into the message.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/protobuf_fields.h"
#include "libcommon/text/id_map.h"

namespace aiflame::xplane {

// What a stat says, as far as it is of use here.
enum class Fact : uint8_t {
  other,
  correlation,      // correlation_id: of a launch and what it launched
  device,           // device_id: of a launch
  hlo_op,           // the operator of XLA, fusion.1
  hlo_module,       // the program of XLA, jit_step
  program,          // program_id: of that program
  path,             // name: the operator's path, jit(step)/mlp/dot
  tf_op,            // the same of TensorFlow and of TPUs
  source,           // train.py:12
  source_stack,     // several of them
  device_offset,    // device_offset_ps, which replaces the event's
  device_duration,  // device_duration_ps
  step,             // step_num
  hlo_proto,        // the program itself
  dropped,          // dropped_traces
};

struct Stat {
  int64_t id = 0;
  std::optional<int64_t> number;
  std::optional<uint64_t> reference;  // the id of a stat whose name is the text
  std::string_view text;
};

// The facts of an event, or of all events of a name.
struct Facts {
  std::optional<uint64_t> correlation, program, device_duration;
  std::optional<int64_t> device, device_offset, step;
  std::string_view hlo_op, hlo_module, path, tf_op, source, source_stack;
};

struct EventName {
  uint64_t id = 0;
  uint32_t number = 0;  // among the names of its plane
  std::string_view name, display_name;
  Facts facts;
  std::string_view hlo_proto;
};

struct Event {
  int64_t offset = 0;    // ps
  int64_t duration = 0;  // ps
  bool is_sum = false;   // of several, which have no time
  const EventName& called;
  const Facts& facts;  // its own, and those of its name
};

struct Line {
  uint64_t id = 0;
  std::string_view name;
  int64_t timestamp = 0;  // ns
  std::string_view message;
};

// A plane whose tables are read. It holds views, and is not copied.
class Plane {
 public:
  explicit Plane(std::string_view message);
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;

  std::string_view name() const { return name_; }
  const std::vector<Line>& lines() const { return lines_; }
  // The last one is that of events whose name is not in the table.
  const std::vector<EventName>& event_names() const { return event_names_; }
  uint64_t dropped() const { return dropped_; }
  // The event is valid during the call.
  void each_event(const Line& line, const std::function<void(const Event&)>& each) const;

 private:
  Fact fact_of(int64_t id) const;
  const EventName& name_of(uint64_t id) const;
  std::string_view stat_name(uint64_t id) const;
  std::string_view text_of(const Stat& stat) const;
  std::optional<int64_t> number_of(const Stat& stat) const;
  void take(const Stat& stat, Facts& out) const;
  EventName read_event_name(uint64_t id, std::string_view message) const;

  std::string_view name_;
  std::vector<Line> lines_;
  std::vector<EventName> event_names_;
  IdMap<uint32_t> event_numbers_;              // by id
  std::vector<uint32_t> first_event_numbers_;  // of the lowest ids, which most are
  IdMap<std::string_view> stat_names_;
  std::vector<std::string_view> first_stat_names_;
  IdMap<Fact> facts_;
  std::vector<Fact> first_facts_;  // of the lowest ids, which most are
  uint64_t dropped_ = 0;
};

struct Space {
  std::vector<std::unique_ptr<Plane>> planes;
  std::vector<std::string_view> errors, warnings;
  std::string_view host;
};
// Throws protozero::exception for a message that is damaged or cut.
Space read_space(std::string_view message);
// A text that is a name: of a longer one, the beginning.
std::string_view name_view(pbf_reader& at);

}  // namespace aiflame::xplane
