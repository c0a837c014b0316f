// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/json_record.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "libcommon/base/parse.h"

namespace aiflame::rocprof {
namespace {

struct NamedKey {
  std::string_view name;
  Key key;
};

constexpr NamedKey kKeys[] = {
    {"agent_id", Key::agent_id},
    {"code_object_id", Key::code_object_id},
    {"code_object_offset", Key::code_object_offset},
    {"corr_id", Key::correlation},
    {"correlation_id", Key::correlation},
    {"dispatch_id", Key::dispatch_id},
    {"dst_agent_id", Key::destination},
    {"end_timestamp", Key::end},
    {"formatted_kernel_name", Key::formatted_name},
    {"handle", Key::handle},
    {"id", Key::id},
    {"inst_index", Key::inst_index},
    {"inst_type", Key::inst_type},
    {"internal", Key::internal},
    {"kernel_address", Key::kernel_address},
    {"kernel_id", Key::kernel_id},
    {"kernel_name", Key::kernel_name},
    {"key", Key::key},
    {"kind", Key::kind},
    {"load_base", Key::load_base},
    {"node_id", Key::node_id},
    {"operation", Key::operation},
    {"queue_id", Key::queue_id},
    {"src_agent_id", Key::source},
    {"stall_reason", Key::stall_reason},
    {"start_timestamp", Key::start},
    {"stream_id", Key::stream_id},
    {"thread_id", Key::thread_id},
    {"timestamp", Key::timestamp},
    {"value", Key::value},
    {"wave_issued", Key::wave_issued},
};

// A sample has fifty keys, so they are found by one comparison each: a table by size, first and
// last letter.
constexpr size_t kSlots = 256;
constexpr size_t slot_of(std::string_view name) {
  const size_t first = static_cast<unsigned char>(name.front());
  const size_t last = static_cast<unsigned char>(name.back());
  return (name.size() * 7 + first * 13 + last * 5) % kSlots;
}
constexpr auto kSlotKeys = [] {
  std::array<NamedKey, kSlots> slots{};
  for (const NamedKey& one : kKeys) {
    size_t at = slot_of(one.name);
    while (!slots[at].name.empty()) at = (at + 1) % kSlots;
    slots[at] = one;
  }
  return slots;
}();

constexpr std::string_view kPipes[] = {"valu",     "matrix", "lds", "lds_direct", "scalar",
                                       "vmem_tex", "flat",   "exp", "misc",       "brmsg"};

// Older and newer files have a name where some have its number.
constexpr std::string_view kReasons[] = {"none",
                                         "no_instruction_available",
                                         "alu_dependency",
                                         "waitcnt",
                                         "internal_instruction",
                                         "barrier_wait",
                                         "arbiter_not_win",
                                         "arbiter_win_ex_stall",
                                         "other_wait",
                                         "sleep_wait"};

}  // namespace

KeyName key_of(std::string_view name) {
  std::string_view pipe = name;
  const bool issue = take_prefix(pipe, "arb_state_issue_");
  if (issue || take_prefix(pipe, "arb_state_stall_")) {
    const auto* at = std::find(std::begin(kPipes), std::end(kPipes), pipe);
    return {issue ? Key::issue_state : Key::stall_state,
            static_cast<uint8_t>(at - std::begin(kPipes))};
  }
  if (name.empty()) return {};
  for (size_t at = slot_of(name); !kSlotKeys[at].name.empty(); at = (at + 1) % kSlots)
    if (kSlotKeys[at].name == name) return {kSlotKeys[at].key, 0};
  return {};
}

void JsonRecord::clear() {
  // the texts keep their memory
  std::string* const texts[] = {&name, &formatted_name, &type, &reason, &value};
  std::array<std::string, std::size(texts)> kept;
  for (size_t i = 0; i < kept.size(); ++i) {
    texts[i]->clear();
    kept[i].swap(*texts[i]);
  }
  *this = JsonRecord();
  for (size_t i = 0; i < kept.size(); ++i) texts[i]->swap(kept[i]);
}

void JsonRecord::set_number(Key around, KeyName of, uint64_t number) {
  const uint32_t pipe = uint32_t{number != 0} << of.pipe;
  switch (of.key) {
    case Key::handle:
      if (around == Key::agent_id || around == Key::destination)
        agent = number;
      else if (around == Key::source)
        source = number;
      else if (around == Key::queue_id)
        queue = number;
      else if (around == Key::stream_id)
        stream = number;
      else if (around == Key::id)
        handle = number;
      else if (around == Key::kernel_address)
        address = number;
      break;
    case Key::internal:
      if (around == Key::correlation) correlation = number;
      break;
    case Key::dispatch_id:
      dispatch = number;
      break;
    case Key::kernel_id:
      kernel = number;
      break;
    case Key::thread_id:
      thread = number;
      break;
    case Key::code_object_id:
      code_object = number;
      break;
    case Key::code_object_offset:
      code_offset = number;
      break;
    case Key::load_base:
      load_base = number;
      break;
    case Key::start:
      start = number;
      break;
    case Key::end:
      end = number;
      break;
    case Key::timestamp:
      timestamp = number;
      break;
    case Key::kind:
      kind = number;
      break;
    case Key::operation:
      operation = number;
      break;
    case Key::key:
      key = number;
      break;
    case Key::node_id:
      node = number;
      break;
    case Key::wave_issued:
      issued = number != 0;
      break;
    case Key::inst_index:
      inst_index = number <= INT64_MAX ? static_cast<int64_t>(number) : -1;
      break;
    case Key::stall_reason:
      reason = number < std::size(kReasons) ? kReasons[number] : std::to_string(number);
      break;
    case Key::inst_type:
      type = std::to_string(number);
      break;
    case Key::issue_state:
      pipes_issued |= pipe;
      knows_pipes = true;
      break;
    case Key::stall_state:
      pipes_stalled |= pipe;
      break;
    default:
      break;
  }
}

void JsonRecord::set_text(Key of, std::string_view text) {
  switch (of) {
    case Key::kernel_name:
      name = text;
      break;
    case Key::formatted_name:
      formatted_name = text;
      break;
    case Key::inst_type:
      type = text;
      break;
    case Key::stall_reason:
      reason = text;
      break;
    case Key::value:
      value = text;
      break;
    default:
      break;
  }
}

}  // namespace aiflame::rocprof
