// SPDX-License-Identifier: MIT
// The arguments of tracepoints, as the kernel's own description of each event places them in the
// bytes of a sample. The only user of libtraceevent.
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
  // What perf has copied out of tracefs (HEADER_TRACING_DATA, or behind a record of type 66). Of
  // data that is damaged, the events in front of the damage are known.
  explicit TraceFormats(std::string tracing_data);
  ~TraceFormats();
  TraceFormats(const TraceFormats&) = delete;
  TraceFormats& operator=(const TraceFormats&) = delete;

  // `group:event`; empty where there is none of this id (perf_event_attr.config).
  std::string name(uint64_t id) const;
  // The text in a field of a sample's raw bytes; nothing where there is no such field, or it is no
  // text, or is not wholly in the bytes. The view is into `raw`.
  std::optional<std::string_view> text(uint64_t id, std::string_view raw, const char* field);
  // The same of a field of 64 bits: an address, as a rule.
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
