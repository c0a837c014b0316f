// SPDX-License-Identifier: MIT
// Finds the arguments of tracepoints in the raw bytes of samples, by the kernel's description of
// each event. The only user of libtraceevent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct tep_format_field;
struct tep_handle;

namespace aiflame {

class TraceFormats {
 public:
  // `tracing_data` is what perf copied from tracefs (HEADER_TRACING_DATA, or the bytes after a
  // record of type 66). Of damaged data, the events before the damage are known.
  explicit TraceFormats(std::string tracing_data);
  ~TraceFormats();
  TraceFormats(const TraceFormats&) = delete;
  TraceFormats& operator=(const TraceFormats&) = delete;

  // `group:event`; empty if no event has this id (perf_event_attr.config).
  std::string name(uint64_t id) const;
  // The text in a field of a sample's raw bytes; nothing if there is no such field, it is not text,
  // or it extends past the bytes. The view is into `raw`.
  std::optional<std::string_view> text(uint64_t id, std::string_view raw, const char* field);
  // The same for a field of 64 bits, usually an address.
  std::optional<uint64_t> word(uint64_t id, std::string_view raw, const char* field);

 private:
  struct Event {
    std::string_view group, format;  // in data_
    bool parsed = false;
  };
  void find_events();
  const tep_format_field* find(uint64_t id, const char* field);

  std::string data_;
  std::map<uint64_t, Event> events_;  // by id
  std::unique_ptr<tep_handle, void (*)(tep_handle*)> parser_;
};

}  // namespace aiflame
