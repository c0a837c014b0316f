// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/agent_records.h"

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

}  // namespace

bool report_agent_record(const AgentRecordOrigin& from, AgentListener& listener, const char* record,
                         uint32_t bytes) {
  const uint32_t pid = from.pid;
  agent_record head;
  std::memcpy(&head, record, sizeof head);
  switch (head.type) {
    case AGENT_MAP:
      return report_map(pid, listener, record, bytes);
    case AGENT_STACK:
      return report_stack(from, listener, record, bytes);
    case AGENT_TEXT:
      return report_text(pid, listener, record, bytes);
    case AGENT_PYTHON: {
      agent_python python;
      if (!read_record(record, bytes, python)) return false;
      listener.on_python(pid, python.version);
      return true;
    }
    case AGENT_LAUNCH: {
      agent_launch launch;
      if (!read_record(record, bytes, launch)) return false;
      listener.on_launch(pid, launch);
      return true;
    }
    case AGENT_DONE: {
      agent_done done;
      if (!read_record(record, bytes, done)) return false;
      listener.on_done(pid, done);
      return true;
    }
    case AGENT_LAUNCHES: {
      agent_launches launches;
      if (!read_record(record, bytes, launches)) return false;
      // no program waits long enough to build a list of this many kernels
      if (launches.count > (uint64_t{1} << 32)) return false;
      listener.on_launches(pid, launches);
      return true;
    }
    case AGENT_DEVICE: {
      agent_device device;
      if (!read_record(record, bytes, device)) return false;
      listener.on_device(pid, device.number, text_of(device.place));
      return true;
    }
    case AGENT_LOAD:
    case AGENT_UNLOAD: {
      agent_code code;
      if (!read_record(record, bytes, code)) return false;
      if (head.type == AGENT_LOAD)
        listener.on_load(pid, code, from.take_object(code.id));
      else
        listener.on_unload(pid, code);
      return true;
    }
    case AGENT_SAMPLING: {
      agent_sampling sampling;
      if (!read_record(record, bytes, sampling)) return false;
      listener.on_sampling(pid, sampling.device, sampling.period, text_of(sampling.unit),
                           text_of(sampling.name));
      return true;
    }
    case AGENT_REASON: {
      agent_reason reason;
      if (!read_record(record, bytes, reason)) return false;
      if (reason.number >= AGENT_MAX_REASONS) return false;
      listener.on_reason(pid, reason.number, text_of(reason.name));
      return true;
    }
    case AGENT_SAMPLE: {
      agent_sample sample;
      if (!read_record(record, bytes, sample)) return false;
      // so that sums of counts cannot overflow
      if (sample.reason >= AGENT_MAX_REASONS || sample.count >= uint64_t{1} << 32) return false;
      listener.on_sample(pid, sample);
      return true;
    }
    case AGENT_LOST: {
      agent_lost lost;
      if (!read_record(record, bytes, lost)) return false;
      if (lost.count != UINT64_MAX && lost.count >= AGENT_MAX_LOST) return false;
      listener.on_lost_samples(pid, lost.device, lost.count);
      return true;
    }
    case AGENT_DRAINED: {
      agent_drained drained;
      if (!read_record(record, bytes, drained)) return false;
      listener.on_drained(pid, drained.time);
      return true;
    }
    case AGENT_MESSAGE: {
      agent_message message;
      if (!read_record(record, bytes, message)) return false;
      listener.on_message(pid, text_of(message.text), (head.flags & AGENT_HINT) != 0);
      return true;
    }
    default:
      return true;  // from a newer agent
  }
}

}  // namespace aiflame::record
