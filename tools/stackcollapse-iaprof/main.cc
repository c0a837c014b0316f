// SPDX-License-Identifier: MIT
// stackcollapse-iaprof: folds the profiles of Intel's iaprof.
//
//   sudo iaprof > profile.txt; stackcollapse-iaprof profile.txt | aiflame-svg > profile.svg
//
// Reads lines of fields between tabs:
//   string   2      _start;main;run
//   kernel   0xffff8001fd000  1  4711  2  3  4
//   eustall  0xa30  5  0  0  0  0  0  57  0  0  0  0
// Writes folded(5), a line for each stack, instruction and reason:
//   matmul;_start;main;run;-;mm.cl_[G];mm_basic_[G];add_[g];sbid_[g];0xa30_[g] 57
#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "tools/stackcollapse-iaprof/profile.h"

namespace aiflame::iaprof {
namespace {

int run(int argc, char** argv) {
  ImportSettings settings;
  ProfileRules rules;
  std::vector<std::string> by_time;
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...",
                  "Folds the EU stalls in profiles of Intel's iaprof: CPU stack, kernel, "
                  "instruction, reason and offset. Without a file, or for '-', reads standard "
                  "input.",
                  "Example: stackcollapse-iaprof profile.txt | aiflame-svg > profile.svg");
  options.list("by-time", by_time, "MS",
               "root frame with the start of the sample's interval, of MS milliseconds");
  options.flag("pid", rules.pid, "root frame with the process id: comm-PID");
  options.flag("full-paths", settings.names.full_paths, "source files with their directories");
  add_import_options(options, settings);
  if (!options.parse(argc, argv)) return 0;
  rules.names = settings.names;
  if (!by_time.empty()) rules.by_time = TimeStep(by_time.back());
  return import_stacks(settings, [&](const std::string& path, ImportedStacks& stacks) {
    stacks.quantity = {.event = "gpu-stall", .unit = "stalls"};
    read_profile(path, rules, stacks);
  });
}

}  // namespace
}  // namespace aiflame::iaprof

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-iaprof", argc, argv, aiflame::iaprof::run);
}
