// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/event_field.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "tools/stackcollapse-trace/read/event_numbers.h"

namespace aiflame::trace {
namespace {

struct NamedField {
  std::string_view key;
  Field field;
};

constexpr NamedField number_field(std::string_view key, NumberArg arg) {
  return {key, {Field::Kind::number, arg, {}}};
}
constexpr NamedField text_field(std::string_view key, TextArg arg) {
  return {key, {Field::Kind::text, {}, arg}};
}

// PyTorch's, but where another writer is named
constexpr NamedField kArguments[] = {
    number_field("correlation", NumberArg::correlation),
    number_field("correlation_id", NumberArg::correlation),  // XLA
    number_field("External id", NumberArg::external_id),
    number_field("external id", NumberArg::external_id),  // before PyTorch 1.10
    number_field("Sequence number", NumberArg::sequence),
    number_field("Fwd thread id", NumberArg::forward_thread),
    number_field("Python id", NumberArg::python_id),
    number_field("Python parent id", NumberArg::python_parent),
    number_field("graph id", NumberArg::graph_id),
    number_field("graph node id", NumberArg::graph_node_id),
    number_field("DurationNs", NumberArg::duration_ns),
    number_field("In msg nelems", NumberArg::elements_in),
    number_field("Out msg nelems", NumberArg::elements_out),
    number_field("id", NumberArg::id),  // unitrace
    text_field("name", TextArg::name),
    text_field("Collective name", TextArg::collective),
    text_field("kernel", TextArg::kernel),
    text_field("CallFrom", TextArg::call_from),
    text_field("stack", TextArg::stacks),
    text_field("dtype", TextArg::type),
    text_field("Input type", TextArg::types),
    text_field("Input Dims", TextArg::shapes),
    text_field("hlo_module", TextArg::hlo_module),  // XLA
    text_field("hlo_op", TextArg::hlo_op),
    text_field("tf_op", TextArg::tf_op),
    text_field("HW event name", TextArg::hardware_event),  // Gaudi
    text_field("EventName", TextArg::node),
    text_field("recipeName", TextArg::recipe),
    text_field("op_name", TextArg::onnx_operator),  // ONNX Runtime
    text_field("parent_name", TextArg::onnx_parent),
    number_field("prompt_bucket_batch_size", NumberArg::prompt_bucket_batch),  // vLLM for Gaudi
    number_field("prompt_bucket_seq_len", NumberArg::prompt_bucket_sequence),
    text_field("prompt_batch_token_utilization", TextArg::prompt_utilization),
    number_field("decode_batch_size", NumberArg::decode_batch),
    number_field("decode_bucket_batch_size", NumberArg::decode_bucket_batch),
};

// The fields by the length of their keys: the arguments of an event are many, and most are skipped.
std::vector<std::vector<NamedField>> by_length() {
  std::vector<std::vector<NamedField>> out;
  for (const NamedField& one : kArguments) {
    if (out.size() <= one.key.size()) out.resize(one.key.size() + 1);
    out[one.key.size()].push_back(one);
  }
  return out;
}

// A key of at most four bytes as a number, so that comparing it is one instruction.
constexpr uint32_t packed(std::string_view key) {
  uint32_t out = 0;
  for (const char c : key) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

}  // namespace

bool is_event_key(std::string_view key) {
  constexpr std::string_view kOthers[] = {
      "bp",      "tts",     "tdur",     "s",   "sf",    "stack",    "esf", "estack",   "cname",
      "bind_id", "flow_in", "flow_out", "id2", "scope", "local_id", "v",   "snapshot", "dur_ns"};
  return event_field(key) != Field::Kind::skipped ||
         std::find(std::begin(kOthers), std::end(kOthers), key) != std::end(kOthers);
}

// Every event has these keys.
Field::Kind event_field(std::string_view key) {
  using Kind = Field::Kind;
  if (key.size() > 4) return Kind::skipped;
  switch (packed(key)) {
    case packed("ph"):
      return Kind::phase;
    case packed("ts"):
      return Kind::start;
    case packed("id"):
      return Kind::id;
    case packed("pid"):
      return Kind::process;
    case packed("tid"):
      return Kind::thread;
    case packed("dur"):
      return Kind::duration;
    case packed("cat"):
      return Kind::category;
    case packed("name"):
      return Kind::name;
    case packed("args"):
      return Kind::args;
    default:
      return Kind::skipped;
  }
}

Field argument_field(std::string_view key) {
  static const std::vector<std::vector<NamedField>> fields = by_length();
  if (key.empty() || key.size() >= fields.size()) return {};
  for (const NamedField& one : fields[key.size()])
    if (one.key.back() == key.back() && one.key == key) return one.field;
  return {};
}

void set_field(Event& event, const Field& field, std::string_view value) {
  switch (field.kind) {
    case Field::Kind::skipped:
    case Field::Kind::args:
      return;
    case Field::Kind::phase:
      event.phase = value.empty() ? '\0' : value[0];
      return;
    case Field::Kind::category:
      event.category = value;
      return;
    case Field::Kind::name:
      event.name = value;
      return;
    case Field::Kind::process:
      event.process = value;
      return;
    case Field::Kind::thread:
      event.thread = value;
      return;
    case Field::Kind::start:
      event.start = parse_microseconds(value);
      return;
    case Field::Kind::duration: {
      const auto duration = parse_microseconds(value);
      // an event that never ended has -1
      event.negative = duration && *duration < 0;
      event.duration =
          duration && *duration >= 0 ? std::optional<uint64_t>(*duration) : std::nullopt;
      return;
    }
    case Field::Kind::id:
      event.id = value;
      return;
    case Field::Kind::number:
      event.number(field.number) = parse_id(value);
      return;
    case Field::Kind::text:
      event.text(field.text) = value;
      return;
  }
}

}  // namespace aiflame::trace
