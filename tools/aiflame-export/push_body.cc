// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/push_body.h"

#include <string>

#include "libcommon/base/json.h"
#include "tools/aiflame-export/base64_writer.h"
#include "tools/aiflame-export/gzip_writer.h"
#include "tools/aiflame-export/value_types.h"

namespace aiflame::exporter {
namespace {

std::string json_label(std::string_view name, std::string_view value) {
  return R"({"name":)" + json_string(name) + R"(,"value":)" + json_string(value) + "}";
}

void write_parca(Profiles& profiles, const ExportSettings& settings, const Write& write) {
  const Profile& profile = profiles.all.front();
  // one name for all values; the last is the one that pprof shows
  const std::string name = value_types(profile.quantity).values.back().type;
  std::string labels =
      json_label("__name__", name) + "," + json_label("service_name", settings.service);
  for (const SeriesLabel& label : settings.push->series)
    labels += "," + json_label(label.key, label.value);
  write(R"({"series":[{"labels":{"labels":[)" + labels + R"(]},"samples":[{"rawProfile":")");
  Base64Writer base64(write);
  write_pprof(profiles, profile, settings, [&](std::string_view bytes) { base64.write(bytes); });
  base64.finish();
  write(R"("}]}]})");
}

}  // namespace

void write_push_body(Profiles& profiles, const ExportSettings& settings, const Write& write) {
  switch (settings.push->door) {
    case Door::pyroscope:
      return write_pprof(profiles, profiles.all.front(), settings, write);
    case Door::parca:
      return write_parca(profiles, settings, write);
    case Door::otlp: {
      GzipWriter gzip(write);
      write_otlp(profiles, settings, [&](std::string_view bytes) { gzip.write(bytes); });
      return gzip.finish();
    }
  }
}

}  // namespace aiflame::exporter
