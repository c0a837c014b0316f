// SPDX-License-Identifier: MIT
// stackcollapse-hpctoolkit: HPCToolkit's databases as folded stacks.
//
//   hpcrun -e gpu=level0,pc app && hpcstruct hpctoolkit-app-measurements &&
//     hpcprof hpctoolkit-app-measurements
//   stackcollapse-hpctoolkit hpctoolkit-app-database | aiflame-svg > app.svg
//
// Reads contexts (meta.db) and their values (cct.db, profile.db):
//   main → twork(int, int) → cudaLaunchKernel → <gpu kernel> → xcompute → compute.h:67 → 0x18c0
//   GCYCLES 831520768, of it GCYCLES:STL:MTHR 340787200 and GCYCLES:ISU:UNK 490733568
// Writes folded(5):
//   app;main;twork;cudaLaunchKernel;-;compute.cu_[G];xcompute_[G];STG.E.64_[g];stl_mthr_[g];0x140_[g]
//   340787200
//   app;main;twork;cudaLaunchKernel;-;compute.cu_[G];xcompute_[G];STG.E.64_[g];isu_unk_[g];0x140_[g]
//   490733568
#include "libcommon/base/program.h"
#include "libcommon/objects/disassembly.h"
#include "tools/stackcollapse-hpctoolkit/collapse.h"

namespace aiflame::hpctoolkit {
namespace {

bool parse(int argc, char** argv, Settings& settings) {
  std::string levels = "file,kernel,function,mnemonic,reason,offset", identifiers;
  Options options(
      Options::Style::gnu, "[OPTION]... DATABASE...",
      "Folds databases of HPCToolkit: CPU frames, the launch, the device's kernels, "
      "instructions and why they stalled.",
      "Example: stackcollapse-hpctoolkit hpctoolkit-app-database | aiflame-svg > app.svg");
  options.text("metric", settings.metric, "TEXT",
               "the metric to draw; default: instruction samples of the device, else its time, "
               "else that of the CPU");
  options.list("objects", settings.objects, "DIR",
               "where code objects are; default: gpubins/ of the database and of its measurements");
  options.text("gpu-frames", levels, "LIST",
               "device levels and their order, of file, kernel, function, loop, line, mnemonic, "
               "reason, producer, offset; default: all but loop, line and producer");
  options.values("gpu-frames", level_names());
  options.text("ids", identifiers, "LIST",
               "root frames that tell profiles apart: RANK, THREAD, GPUSTREAM, as the database "
               "calls them");
  options.flag("full-paths", settings.device.full_paths, "source files with their directories");
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return false;
  settings.device.levels = parse_levels(levels);
  settings.device.full_names = settings.import.names.full_names;
  settings.identifiers = comma_list(identifiers);
  if (settings.import.inputs.empty()) throw UsageError("no database");
  return true;
}

int run(int argc, char** argv) {
  Settings settings;
  if (!parse(argc, argv, settings)) return 0;
  const auto read = [&](const std::string& path, ImportedStacks& stacks) {
    collapse(path, settings, stacks);
  };
  return import_stacks(settings.import, read, {},
                       settings.import.no_sandbox ? Rights() : disassembler_rights());
}

}  // namespace
}  // namespace aiflame::hpctoolkit

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-hpctoolkit", argc, argv, aiflame::hpctoolkit::run);
}
