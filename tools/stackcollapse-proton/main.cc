// SPDX-License-Identifier: MIT
// stackcollapse-proton: folds the profiles of Triton's profiler Proton.
//
//   stackcollapse-proton train.hatchet | aiflame-svg > train.svg
//
// Reads a tree of frames with metrics, as JSON:
//   [ { "children": [ { "children": [],
//                       "frame": { "name": "matmul_kernel", "type": "function" },
//                       "metrics": { "count": 3, "device_id": "0", "time (ns)": 204800 } } ],
//       "frame": { "name": "ROOT", "type": "function" }, "metrics": {} }, {} ]
// Writes folded(5), a line for each frame that has some of the metric:
//   ROOT;[unknown launch];-;matmul_kernel_[G] 204800
#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/import/importer.h"
#include "tools/stackcollapse-proton/fold.h"
#include "tools/stackcollapse-proton/hatchet.h"

namespace aiflame::proton {
namespace {

int run(int argc, char** argv) {
  ImportSettings settings;
  std::string name = "time";
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...",
                  "Folds the profiles of Proton, the profiler of Triton: Python functions or "
                  "scopes, kernel, and with PC sampling line and stall reason. Without a file, or "
                  "for '-', reads standard input.",
                  "Example: stackcollapse-proton train.hatchet | aiflame-svg > train.svg");
  options.text("metric", name, "NAME",
               "what to draw: time (default), count, stalled (samples by stall reason), or "
               "another metric of the file, such as num_samples, cycles or bytes");
  options.values("metric", "time count stalled num_samples cycles bytes");
  add_source_options(options, settings.names);
  add_import_options(options, settings);
  if (!options.parse(argc, argv)) return 0;
  const Metric metric(name);
  return import_stacks(settings, [&](const std::string& path, ImportedStacks& stacks) {
    fold_tree(read_hatchet(path, metric), metric, settings.names, stacks);
  });
}

}  // namespace
}  // namespace aiflame::proton

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-proton", argc, argv, aiflame::proton::run);
}
