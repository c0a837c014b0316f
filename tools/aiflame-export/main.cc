// SPDX-License-Identifier: MIT
// aiflame-export: folded stacks in the formats of other programs.
//
//   aiflame-export --format pprof app.folded > app.pb.gz && go tool pprof -top app.pb.gz
//
// Reads folded(5):
//   # aiflame: event gpu-stall, unit stalls
//   app;main;-;scale_[G];sbid_[g] 57
// Writes pprof (profile.proto, by gzip), OTLP profiles, a trace of Perfetto or a file of
// speedscope:
//   {"name":"scale_[G]"}, ... "samples":[[0,1,2,3,4]], "weights":[57]
//
// Everything is read, into a temporary file, before anything is written.
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-export/check_counts.h"
#include "tools/aiflame-export/profile_writer.h"
#include "tools/aiflame-export/push.h"
#include "tools/aiflame-export/push_body.h"

namespace aiflame::exporter {
namespace {

void write_format(Profiles& profiles, const ExportSettings& settings, const Write& write) {
  if (settings.push) return write_push_body(profiles, settings, write);
  switch (settings.format) {
    case Format::pprof:
      return write_pprof(profiles, profiles.all.front(), settings, write);
    case Format::otlp:
      return write_otlp(profiles, settings, write);
    case Format::perfetto:
      return write_perfetto(profiles, write);
    case Format::speedscope:
      return write_speedscope(profiles, write);
  }
}

void export_profile(const ExportSettings& settings, const Write& write) {
  if (!settings.no_sandbox) drop_rights({.files = settings.paths, .temporary_files = true});
  Profiles profiles = read_profiles(settings.paths, StackLabels(settings.labels));
  check_counts(profiles.all, settings.format);
  write_format(profiles, settings, write);
}

int run(int argc, char** argv) {
  const std::optional<ExportSettings> settings = parse_export_settings(argc, argv);
  if (!settings) return 0;
  if (settings->push) return push_profile(*settings, export_profile);
  Output out(settings->output, Output::Existing::kept_until_written);
  outlive_interrupt();
  export_profile(*settings, [&](std::string_view bytes) { out.write(bytes); });
  out.close();
  return 0;
}

}  // namespace
}  // namespace aiflame::exporter

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-export", argc, argv, aiflame::exporter::run);
}
