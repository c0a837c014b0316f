// SPDX-License-Identifier: MIT
// stackcollapse-torch-memory: folds memory snapshots of PyTorch: which stacks hold the device's
// memory, at its peak, at the end, or when it ran out.
//
//   torch.cuda.memory._record_memory_history()
//   …
//   torch.cuda.memory._dump_snapshot("app.pickle")
//
//   stackcollapse-torch-memory app.pickle | aiflame-svg > app.svg
//
// Reads a pickle of
//   {'segments': [{'device': 0, 'total_size': 2097152, 'blocks': [{'size': 512, …}], …}],
//    'device_traces': [[{'action': 'alloc', 'addr': 139709781114880, 'size': 1024000, 'frames':
//       [{'filename': '/a/train.py', 'line': 3, 'name': 'step'}, …], …},
//       {'action': 'free_completed', 'addr': 139709781114880, …}]]}
// Writes folded(5):
//   # aiflame: event gpu-memory, unit bytes
//   # aiflame-note: peak 1000 KiB of 2.000 MiB reserved, 1 stack
//   py::main:train.py;py::step:train.py 1024000
#include <optional>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-torch-memory/draw.h"
#include "tools/stackcollapse-torch-memory/read_snapshot.h"

namespace aiflame::torch_memory {
namespace {

constexpr const char* kSynopsis = "[OPTION]... [FILE]...";
constexpr const char* kAbout =
    "Reads memory snapshots of PyTorch and writes folded stacks, in bytes: what held the device's "
    "memory at a moment. The snapshot's pickle is read as data; nothing in it is executed.";
constexpr const char* kEpilogue =
    "Example:\n"
    "  stackcollapse-torch-memory app.pickle | aiflame-svg > peak.svg\n"
    "  stackcollapse-torch-memory --at end app.pickle > end.folded\n";

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(Options::Style::gnu, kSynopsis, kAbout, kEpilogue);
  Settings settings;
  bool allocated = false, segments = false;
  std::vector<std::string> at, by_time;
  options.list("at", at, "MOMENT",
               "when: peak, of each device at its own (default); end; oom, when memory ran out; "
               "event:N, after entry N of the device, from 0; or seconds from the first entry");
  options.values("at", "peak end oom");
  options.flag("allocated", allocated,
               "all allocations of the recording, whenever they were freed");
  options.flag("segments", segments,
               "what PyTorch has reserved at the end, with what of it is not in use");
  options.flag("count", settings.count, "count blocks instead of their bytes");
  options.number("device", settings.device, "N", "this device alone");
  options.flag("rank", settings.rank,
               "root frame with the number of the file, in the order of the files");
  options.flag("devices", settings.devices,
               "root frame with the device; it is there anyway if there are several");
  options.flag("pools", settings.pools, "root frame with the pool of memory");
  options.flag("streams", settings.streams, "root frame with the stream");
  options.flag("phases", settings.phases,
               "frames for the external annotations during which a block was allocated");
  options.flag("lifetimes", settings.lifetimes,
               "root frame that says whether a block was held over from the step before, freed "
               "within 10 ms, freed later, or not freed");
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds from the first "
               "entry, in which a block was allocated");
  options.flag("native", settings.native, "C++ frames also where there are Python frames");
  options.flag("full-paths", settings.import.names.full_paths,
               "source files with their directories");
  options.flag("srcline", settings.import.names.lines, "Python functions with the line that runs");
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return std::nullopt;
  if (allocated && segments) throw UsageError("--allocated and --segments exclude each other");
  if (!at.empty() && (allocated || segments))
    throw UsageError(std::string("--at and ") + (allocated ? "--allocated" : "--segments") +
                     " exclude each other");
  if (settings.lifetimes && (allocated || segments))
    throw UsageError(std::string("--lifetimes and ") + (allocated ? "--allocated" : "--segments") +
                     " exclude each other");
  if (segments && settings.count) throw UsageError("--segments and --count exclude each other");
  if (segments && !by_time.empty()) throw UsageError("--segments and --by-time exclude each other");
  if (allocated) settings.content = Content::allocated;
  if (segments) settings.content = Content::segments;
  for (const std::string& one : at) settings.at = parse_memory_moment(one, true);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  return settings;
}

int run(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  uint64_t rank = 0;
  return import_stacks(settings->import, [&](const std::string& path, ImportedStacks& stacks) {
    draw(*read_snapshot(path), rank++, *settings, stacks);
  });
}

}  // namespace
}  // namespace aiflame::torch_memory

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-torch-memory", argc, argv, aiflame::torch_memory::run);
}
