// SPDX-License-Identifier: MIT
// An event of a Chrome trace while it is read, whoever wrote it:
//
//   {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":1120.000,
//    "dur":6.000,"args":{"External id":21,"correlation":305}}
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace aiflame::trace {

// The arguments that somebody has a use for. Others are skipped.
enum class NumberArg : uint8_t {
  correlation,
  external_id,
  sequence,
  forward_thread,
  python_id,
  python_parent,
  graph_id,
  graph_node_id,
  elements_in,
  elements_out,
  id,
  prompt_bucket_batch,
  prompt_bucket_sequence,
  decode_batch,
  decode_bucket_batch,
  duration_ns,
  count,
};
enum class TextArg : uint8_t {
  name,
  collective,
  kernel,     // that a call launches
  call_from,  // FILE:LINE of the caller of a Python function
  stacks,     // lists of the model's lines, each ended by a NUL
  type,
  types,   // the first of a list
  shapes,  // a list of lists, as it is written but for blanks
  hlo_module,
  hlo_op,
  tf_op,
  hardware_event,
  node,
  recipe,
  onnx_operator,
  onnx_parent,
  prompt_utilization,
  count,
};

struct Event {
  static constexpr uint64_t kNone = UINT64_MAX;

  char phase = 0;
  std::string category, name, process, thread, id;
  std::optional<int64_t> start;      // ns
  std::optional<uint64_t> duration;  // ns
  bool negative = false;             // the duration that is written
  std::array<uint64_t, static_cast<size_t>(NumberArg::count)> numbers{};
  std::array<std::string, static_cast<size_t>(TextArg::count)> texts;

  uint64_t number(NumberArg arg) const { return numbers[static_cast<size_t>(arg)]; }
  const std::string& text(TextArg arg) const { return texts[static_cast<size_t>(arg)]; }
  uint64_t& number(NumberArg arg) { return numbers[static_cast<size_t>(arg)]; }
  std::string& text(TextArg arg) { return texts[static_cast<size_t>(arg)]; }

  void clear() {
    phase = 0;
    for (std::string* one : {&category, &name, &process, &thread, &id}) one->clear();
    start.reset();
    duration.reset();
    negative = false;
    numbers.fill(kNone);
    for (std::string& one : texts) one.clear();
  }
};

// What a trace says of itself, outside of its events.
struct TraceFacts {
  std::string rank;  // of the process in a distributed program; empty: unknown
  bool has_events = false;
  uint64_t lost_events = 0;  // that are not JSON
};

}  // namespace aiflame::trace
