// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/push_target.h"

#include "libcommon/text/url.h"

namespace aiflame::exporter {
namespace {

constexpr uint64_t kSecond = 1000000000;

// "train{rank=3,zone=b}"
std::string pyroscope_name(const ExportSettings& settings) {
  std::string labels;
  for (const SeriesLabel& label : settings.push->series)
    labels += (labels.empty() ? "" : ",") + label.key + "=" + label.value;
  return settings.service + "{" + labels + "}";
}

std::string pyroscope_path(const ExportSettings& settings) {
  const Taken& taken = settings.taken;
  const uint64_t end = taken.start + taken.duration;  // each is below 2^63
  return "/ingest?name=" + url_value(pyroscope_name(settings)) +
         "&from=" + std::to_string(taken.start / kSecond) +
         "&until=" + std::to_string((end + kSecond - 1) / kSecond) +
         "&format=pprof&spyName=aiflame";
}

}  // namespace

PushTarget push_target(const ExportSettings& settings) {
  switch (settings.push->door) {
    case Door::pyroscope:
      return {pyroscope_path(settings), "application/octet-stream", ""};
    case Door::parca:
      return {"/profiles/writeraw", "application/json", ""};
    case Door::otlp:
      break;
  }
  return {"/v1development/profiles", "application/x-protobuf", "gzip"};
}

}  // namespace aiflame::exporter
