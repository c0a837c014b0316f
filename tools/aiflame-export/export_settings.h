// SPDX-License-Identifier: MIT
// The command line of aiflame-export.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/aiflame-export/push_settings.h"

namespace aiflame::exporter {

enum class Format { pprof, otlp, perfetto, speedscope };

// When the profile was taken. Folded text does not say it.
struct Taken {
  uint64_t start = 0;     // nanoseconds since 1970; 0: unknown
  uint64_t duration = 0;  // nanoseconds; 0: unknown
};

struct ExportSettings {
  std::vector<std::string> paths;
  Format format = Format::pprof;
  std::vector<std::string> labels;  // --labels
  std::string service;              // --service
  Taken taken;
  std::string output;  // -o
  std::optional<PushSettings> push;
  bool no_sandbox = false;
};

// "pprof"
const char* format_name(Format format);

// Nothing if --help or --version was given. Throws UsageError.
std::optional<ExportSettings> parse_export_settings(int argc, char** argv);

}  // namespace aiflame::exporter
