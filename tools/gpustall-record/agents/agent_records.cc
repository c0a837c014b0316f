// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/agent_records.h"

#include <cstring>
#include <string_view>
#include <vector>

namespace aiflame::record {
namespace {

// The text in a fixed field, which a hostile agent may not have ended by 0.
template <size_t N>
std::string_view text_of(const char (&text)[N]) {
  return {text, strnlen(text, N)};
}

// False when the record is too short for this type.
template <typename Record>
bool read_record(const char* from, uint32_t bytes, Record& out) {
  if (bytes < sizeof out) return false;
  std::memcpy(&out, from, sizeof out);
  return true;
}

// Reads pairs of symbol and object: "cudaLaunchKernel\0[cuda]\0". False when one is incomplete.
bool read_front(std::string_view text, std::vector<AgentListener::NamedFrame>& out) {
  while (!text.empty()) {
    std::string_view part[2];
    for (std::string_view& one : part) {
      const size_t end = text.find('\0');
      if (end == std::string_view::npos) return false;
      one = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
    out.push_back({part[0], part[1]});
  }
  return true;
}

bool report_map(uint32_t pid, AgentListener& listener, const char* record, uint32_t bytes) {
  agent_map map;
  if (!read_record(record, bytes, map) || bytes == sizeof map) return false;
  const char* path = record + sizeof map;
  if (map.start >= map.end) return false;
  listener.on_map(pid, map.start, map.end, map.file_offset,
                  std::string_view(path, strnlen(path, bytes - sizeof map)),
                  (map.record.flags & AGENT_FIRST) != 0);
  return true;
}

// Each count is bounded before they are added up, so that the sum cannot overflow.
bool report_stack(const AgentRecordOrigin& from, AgentListener& listener, const char* record,
                  uint32_t bytes) {
  agent_stack stack;
  if (!read_record(record, bytes, stack)) return false;
  const uint64_t left = bytes - sizeof stack;
  if (stack.frame_count > AGENT_MAX_FRAMES || stack.name_bytes > AGENT_MAX_NAME ||
      stack.appended_count > AGENT_MAX_FRAMES || stack.front_bytes > AGENT_MAX_FRONT ||
      (uint64_t{stack.frame_count} + stack.appended_count) * 8 + stack.name_bytes +
              stack.front_bytes >
          left)
    return false;
  AgentListener::Stack out;
  out.id = stack.id;
  out.kernel_address = stack.kernel_address;
  out.tid = from.threads.outer(stack.tid);
  out.device = stack.device;
  out.comm = text_of(stack.comm);
  out.frames.resize(stack.frame_count);
  if (stack.frame_count > 0)
    std::memcpy(out.frames.data(), record + sizeof stack, out.frames.size() * 8);
  const char* next = record + sizeof stack + out.frames.size() * 8;
  out.appended.resize(stack.appended_count);
  if (stack.appended_count > 0) std::memcpy(out.appended.data(), next, out.appended.size() * 8);
  next += out.appended.size() * 8;
  out.object = stack.object;
  out.kernel = std::string_view(next, stack.name_bytes);
  if (!read_front({next + stack.name_bytes, stack.front_bytes}, out.front)) return false;
  out.flags = stack.record.flags;
  listener.on_stack(from.pid, out);
  return true;
}

bool report_text(uint32_t pid, AgentListener& listener, const char* record, uint32_t bytes) {
  agent_text text;
  if (!read_record(record, bytes, text)) return false;
  if ((text.id & AGENT_TEXT_FRAME) == 0 || text.name_bytes > AGENT_MAX_NAME ||
      text.file_bytes > AGENT_MAX_NAME || sizeof text + text.name_bytes + text.file_bytes > bytes)
    return false;
  const char* name = record + sizeof text;
  listener.on_text(pid, text.id, std::string_view(name, text.name_bytes),
                   std::string_view(name + text.name_bytes, text.file_bytes), text.line);
  return true;
}

// ---- records of one size -----------------------------------------------------------------------

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_python& python) {
  listener.on_python(from.pid, python.version, (python.record.flags & AGENT_NO_GIL) != 0);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_size& size) {
  if (size.id == 0) return false;
  listener.on_size(from.pid, size);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_launch& launch) {
  listener.on_launch(from.pid, launch);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_done& done) {
  listener.on_done(from.pid, done);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener,
            const agent_launches& launches) {
  // no program waits long enough to build a list of this many kernels
  if (launches.count > (uint64_t{1} << 32)) return false;
  listener.on_launches(from.pid, launches);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_call& call) {
  if (call.end < call.begin) return false;
  listener.on_call(from.pid, call);
  return true;
}

// No device has more bytes.
constexpr uint64_t kMostBytes = uint64_t{1} << 48;

bool report(const AgentRecordOrigin& from, AgentListener& listener,
            const agent_allocated& allocated) {
  if (allocated.bytes > kMostBytes) return false;
  listener.on_allocated(from.pid, allocated);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_freed& freed) {
  if (freed.bytes > kMostBytes) return false;
  listener.on_freed(from.pid, freed);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_memory& memory) {
  if (memory.bytes > kMostBytes) return false;
  listener.on_memory(from.pid, memory.device, memory.bytes);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_device& device) {
  listener.on_device(from.pid, device.number, text_of(device.place));
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_code& code) {
  if (code.record.type == AGENT_LOAD)
    listener.on_load(from.pid, code, from.take_object(code.id));
  else
    listener.on_unload(from.pid, code);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener,
            const agent_sampling& sampling) {
  listener.on_sampling(from.pid, sampling.device, sampling.period, text_of(sampling.unit),
                       text_of(sampling.name));
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_reason& reason) {
  if (reason.number >= AGENT_MAX_REASONS) return false;
  listener.on_reason(from.pid, reason.number, text_of(reason.name));
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_sample& sample) {
  if (sample.reason >= AGENT_MAX_REASONS || sample.exposed > sample.count) return false;
  listener.on_sample(from.pid, sample);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_lost& lost) {
  if (lost.count != UINT64_MAX && lost.count >= AGENT_MAX_LOST) return false;
  listener.on_lost_samples(from.pid, lost.device, lost.count);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_drained& drained) {
  listener.on_drained(from.pid, drained.time);
  return true;
}

bool report(const AgentRecordOrigin& from, AgentListener& listener, const agent_message& message) {
  listener.on_message(from.pid, text_of(message.text), (message.record.flags & AGENT_HINT) != 0);
  return true;
}

}  // namespace

bool report_agent_record(const AgentRecordOrigin& from, AgentListener& listener, const char* record,
                         uint32_t bytes) {
  agent_record head;
  std::memcpy(&head, record, sizeof head);
  const auto report_as = [&](auto fields) {
    return read_record(record, bytes, fields) && report(from, listener, fields);
  };
  switch (head.type) {
    case AGENT_MAP:
      return report_map(from.pid, listener, record, bytes);
    case AGENT_STACK:
      return report_stack(from, listener, record, bytes);
    case AGENT_TEXT:
      return report_text(from.pid, listener, record, bytes);
    case AGENT_PYTHON:
      return report_as(agent_python());
    case AGENT_SIZE:
      return report_as(agent_size());
    case AGENT_LAUNCH:
      return report_as(agent_launch());
    case AGENT_DONE:
      return report_as(agent_done());
    case AGENT_LAUNCHES:
      return report_as(agent_launches());
    case AGENT_CALL:
      return report_as(agent_call());
    case AGENT_ALLOCATED:
      return report_as(agent_allocated());
    case AGENT_FREED:
      return report_as(agent_freed());
    case AGENT_MEMORY:
      return report_as(agent_memory());
    case AGENT_DEVICE:
      return report_as(agent_device());
    case AGENT_LOAD:
    case AGENT_UNLOAD:
      return report_as(agent_code());
    case AGENT_SAMPLING:
      return report_as(agent_sampling());
    case AGENT_REASON:
      return report_as(agent_reason());
    case AGENT_SAMPLE:
      return report_as(agent_sample());
    case AGENT_LOST:
      return report_as(agent_lost());
    case AGENT_DRAINED:
      return report_as(agent_drained());
    case AGENT_MESSAGE:
      return report_as(agent_message());
    default:
      return true;  // from a newer agent
  }
}

}  // namespace aiflame::record
