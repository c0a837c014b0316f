// SPDX-License-Identifier: MIT
// The options of --push: where a profile is sent, and what becomes of it when it cannot be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/options.h"

namespace aiflame::exporter {

// The doors of servers through which profiles come in.
enum class Door {
  pyroscope,  // POST /ingest, with a profile of pprof
  parca,      // POST /profiles/writeraw, with one inside JSON
  otlp,       // POST /v1development/profiles, with OTLP profiles
};

// "pyroscope"
const char* door_name(Door door);

// What a server tells series of profiles apart by.
struct SeriesLabel {
  std::string key, value;
};

struct PushSettings {
  // Half a year of a profile of 100 KB each half hour, and no disk's end.
  static constexpr uint64_t kSpoolBytes = uint64_t{1} << 30;
  // With waits of 0.5, 1, 2 and 4 seconds: a server that restarts is back by then.
  static constexpr uint64_t kRetries = 4;
  // 7 MB at 2 Mbit/s; profiles have some 100 KB.
  static constexpr uint64_t kTimeoutSeconds = 30;

  std::string url;  // of the server: the door's path is added
  Door door = Door::pyroscope;
  std::vector<SeriesLabel> series;
  std::string token_file;  // "": none
  std::string spool;       // directory; "": none
  uint64_t spool_bytes = kSpoolBytes;
  uint64_t retries = kRetries;
  uint64_t timeout_s = kTimeoutSeconds;  // of an attempt
};

// The words of the command line.
struct PushArguments {
  std::string url, door, series, token_file, spool, spool_size;
  std::optional<uint64_t> retries, timeout_s;

  void declare(Options& options);
  // Nothing without --push. Throws UsageError.
  std::optional<PushSettings> parse() const;
};

}  // namespace aiflame::exporter
