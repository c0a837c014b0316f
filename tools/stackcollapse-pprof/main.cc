// SPDX-License-Identifier: MIT
// stackcollapse-pprof: a pprof profile, of whatever wrote it, as folded stacks.
//
//   curl -s http://localhost:6060/debug/pprof/profile | stackcollapse-pprof | aiflame-svg > cpu.svg
//
// Reads the message Profile of profile.proto, plain or compressed:
//   sample {locations: scale, main; values: 57, 570000000; label thread = "worker"}
// Writes folded(5):
//   # aiflame: event cpu, unit ns, period 10000000 ns
//   app;main;scale 570000000
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/io/whole_input.h"
#include "tools/stackcollapse-pprof/collapse.h"

namespace aiflame::pprof {
namespace {

// A message is read as a whole, since its texts stand at its end.
constexpr size_t kLongest = size_t{1} << 30;

bool parse(int argc, char** argv, Settings& settings) {
  std::string labels;
  Options options(Options::Style::gnu, "[OPTION]... [PROFILE]...",
                  "Folds pprof profiles: of Go, C++, Rust, Python, Parca, and all that write "
                  "profile.proto, plain or compressed.",
                  "Example: stackcollapse-pprof cpu.pb.gz | aiflame-svg > cpu.svg");
  options.text("sample-type", settings.sample_type, "NAME",
               "the value to draw; default: what the profile says, else its last one");
  options.text("labels", labels, "LIST", "labels that become root frames, by their keys");
  options.flag("drop-frames", settings.drop_frames,
               "leave out what the profile wants dropped (drop_frames), as pprof does");
  add_source_options(options, settings.import.names);
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return false;
  settings.labels = comma_list(labels);
  return true;
}

int run(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) return 0;
  return import_stacks(settings.import, [&](const std::string& path, ImportedStacks& stacks) {
    ByteSource source(path);
    const WholeInput input(source, kLongest);
    collapse(input.bytes(), source.name(), settings, stacks);
  });
}

}  // namespace
}  // namespace aiflame::pprof

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-pprof", argc, argv, aiflame::pprof::run);
}
