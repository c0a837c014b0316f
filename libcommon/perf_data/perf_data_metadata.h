// SPDX-License-Identifier: MIT
// What perf itself writes about a recording: its events and their names, build ids, the
// descriptions of tracepoints, the machine. A file has it in its header, a pipe in records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/perf_data/perf_event.h"

namespace aiflame {

struct PerfBuildId {
  std::string path;
  std::string hex;
  bool kernel = false;
};

struct PerfDataMetadata {
  PerfEvents events;
  std::vector<PerfBuildId> build_ids;
  std::string tracing_data;
  std::string hostname;  // of the machine that perf record ran on; "" where that is not known
  // As uname(2) has them: 6.1.0-18-amd64, x86_64. "" where they are not known.
  std::string release, architecture;
  uint64_t first_sample = 0, last_sample = 0;

  // The body of a record HEADER_ATTR: an attribute and its ids. False if it is malformed.
  [[nodiscard]] bool add_event(std::string_view body);
  // The body of a record EVENT_UPDATE, which may rename an event.
  void update_event(std::string_view body);
  // Whether read_feature() reads anything from this feature of the file's header.
  static bool has_use_for(uint64_t feature);
  void read_feature(uint64_t feature, std::string_view bytes);
  // The body of a record BUILD_ID, and `misc` of its header. Throws Error when all of them take
  // more memory than those of any system.
  void read_build_id(uint16_t misc, std::string_view body);

 private:
  void read_event_names(std::string_view bytes);

  uint64_t build_id_bytes_ = 0;
};

}  // namespace aiflame
