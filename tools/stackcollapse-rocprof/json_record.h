// SPDX-License-Identifier: MIT
// One record of rocprofv3's JSON, flat: an object of an array, with the objects inside it. The same
// names stand for the same thing in all kinds of records, so one struct holds them all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame::rocprof {

// Keys that have a use, by themselves or as the object around others.
enum class Key : uint8_t {
  other,
  // objects
  agent_id,
  correlation,  // correlation_id; corr_id in samples
  destination,  // dst_agent_id
  id,
  kernel_address,
  queue_id,
  source,  // src_agent_id
  stream_id,
  // values
  code_object_id,
  code_object_offset,
  dispatch_id,
  end,
  formatted_name,
  handle,
  inst_index,
  inst_type,
  internal,
  kernel_id,
  kernel_name,
  key,
  kind,
  load_base,
  node_id,
  operation,
  stall_reason,
  start,
  thread_id,
  timestamp,
  value,
  wave_issued,
  issue_state,  // arb_state_issue_PIPE
  stall_state,  // arb_state_stall_PIPE
};

struct KeyName {
  Key key = Key::other;
  uint8_t pipe = 0;  // of issue_state and stall_state
};
KeyName key_of(std::string_view name);

struct JsonRecord {
  uint64_t agent = 0, source = 0, queue = 0, stream = 0, handle = 0, address = 0;
  uint64_t correlation = 0, dispatch = 0, kernel = 0, thread = 0;
  uint64_t code_object = 0, code_offset = 0, load_base = 0;
  uint64_t start = 0, end = 0, timestamp = 0;
  uint64_t kind = 0, operation = 0, key = 0, node = 0;
  int64_t inst_index = -1;
  bool issued = false;
  // What the arbiter did in the sampled cycle, a bit for each pipe.
  uint32_t pipes_issued = 0, pipes_stalled = 0;
  bool knows_pipes = false;
  std::string name, formatted_name, type, reason, value;

  void clear();
  // A value under `key`, in the object `around`.
  void set_number(Key around, KeyName key, uint64_t number);
  void set_text(Key key, std::string_view text);
  // Whether no wave of the SIMD went on: each pipe issued nothing, or stalled.
  bool is_exposed() const { return knows_pipes && (pipes_issued & ~pipes_stalled) == 0; }
};

}  // namespace aiflame::rocprof
