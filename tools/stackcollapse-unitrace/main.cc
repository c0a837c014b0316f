// SPDX-License-Identifier: MIT
// stackcollapse-unitrace: folds the EU stalls that Intel's unitrace samples.
//
//   unitrace --stall-sampling -o app.csv ./app
//   stackcollapse-unitrace app.metrics.*.csv | aiflame-svg > app.svg
//
// Reads a table, a row for each instruction:
//   Kernel, IP[Address], Active[Events], ControlStall[Events], …, SbidStall[Events], …
//   "mm(float*, int)",         1b8,              3,              0, …,                57, …
// Writes folded(5), a line for each instruction and reason:
//   [device];[unknown launch];-;mm_[G];active_[g];0x1b8_[g] 3
//   [device];[unknown launch];-;mm_[G];sbid_[g];0x1b8_[g] 57
#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "tools/stackcollapse-unitrace/stall_table.h"

namespace aiflame::unitrace {
namespace {

int run(int argc, char** argv) {
  ImportSettings settings;
  bool by_device = false;
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...",
                  "Folds the EU stalls of unitrace --stall-sampling: kernel, reason and offset. "
                  "Without a file, or for '-', reads standard input.",
                  "Example: stackcollapse-unitrace app.metrics.4711.csv | aiflame-svg > app.svg");
  options.flag("by-device", by_device, "root frame with the device: [device 0]");
  add_import_options(options, settings);
  if (!options.parse(argc, argv)) return 0;
  return import_stacks(settings, [&](const std::string& path, ImportedStacks& stacks) {
    stacks.quantity = {.event = "gpu-stall", .unit = "stalls"};
    read_stall_tables(path, {settings.names, by_device}, stacks);
  });
}

}  // namespace
}  // namespace aiflame::unitrace

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-unitrace", argc, argv, aiflame::unitrace::run);
}
