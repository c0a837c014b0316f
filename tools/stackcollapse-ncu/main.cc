// SPDX-License-Identifier: MIT
// stackcollapse-ncu: folds the warp stall samples of Nsight Compute.
//
//   ncu --import mm.ncu-rep --csv --page source | stackcollapse-ncu | aiflame-svg > mm.svg
//
// Reads the source page as CSV, a row for each instruction:
//   "Kernel Name","void mm<(int)32>(float *, float *)",
//   "Address","Source","# Samples",…,"stall_barrier","stall_long_sb",…
//   "0x7fc48541d900","      LDG.E R2, [R4]","42",…,"2","40",…
// Writes folded(5), a line for each instruction and reason:
//   [device];[unknown launch];-;mm<32>_[G];LDG.E_[g];long_scoreboard_[g];0x0_[g] 40
//   [device];[unknown launch];-;mm<32>_[G];LDG.E_[g];barrier_[g];0x0_[g] 2
#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "tools/stackcollapse-ncu/source_page.h"

namespace aiflame::ncu {
namespace {

int run(int argc, char** argv) {
  ImportSettings settings;
  bool exposed = false, instances = false;
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...",
                  "Folds the warp stall samples of Nsight Compute's source page: kernel, source "
                  "line, instruction, reason and offset. Without a file, or for '-', reads "
                  "standard input.",
                  "Example: ncu --import mm.ncu-rep --csv --page source --print-source cuda,sass | "
                  "stackcollapse-ncu | aiflame-svg > mm.svg");
  options.flag("exposed", exposed,
               "only samples at which the scheduler issued nothing: the columns (Not Issued)");
  options.flag("instances", instances, "the launches of a kernel apart, by their number");
  options.flag("full-paths", settings.names.full_paths, "source files with their directories");
  add_import_options(options, settings);
  if (!options.parse(argc, argv)) return 0;
  return import_stacks(settings, [&](const std::string& path, ImportedStacks& stacks) {
    stacks.quantity = {.event = exposed ? "gpu-stall-exposed" : "gpu-stall", .unit = "stalls"};
    read_source_page(path, {settings.names, exposed ? Samples::exposed : Samples::all, instances},
                     stacks);
  });
}

}  // namespace
}  // namespace aiflame::ncu

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-ncu", argc, argv, aiflame::ncu::run);
}
