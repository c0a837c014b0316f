// SPDX-License-Identifier: MIT
// stackcollapse-trace: folds Chrome traces of AI programs.
//
//   stackcollapse-trace rank0.pt.trace.json.gz | aiflame-svg > train.svg
//
// Reads JSON:
//   {"traceEvents": [
//   {"ph":"X", "cat":"python_function", "name":"train.py(41): step",
//    "pid":7, "tid":7, "ts":1000.000, "dur":900.000, "args":{}},
//   {"ph":"X", "cat":"cpu_op", "name":"aten::mm",
//    "pid":7, "tid":7, "ts":1100.000, "dur":80.000, "args":{}},
//   {"ph":"X", "cat":"cuda_runtime", "name":"cudaLaunchKernel",
//    "pid":7, "tid":7, "ts":1120.000, "dur":6.000, "args":{"correlation":305}},
//   {"ph":"X", "cat":"kernel", "name":"void gemm<float>(int)",
//    "pid":0, "tid":7, "ts":1150.000, "dur":40.000, "args":{"correlation":305}}]}
// Writes folded(5):
//   # aiflame: event gpu-time, unit ns
//   py::step:train.py;aten::mm_[o];cudaLaunchKernel;-;gemm<float>_[G] 40000
#include <optional>
#include <vector>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-trace/collapse.h"

namespace aiflame::trace {
namespace {

int run(int argc, char** argv) {
  TraceSettings settings;
  if (!parse_trace_settings(argc, argv, settings)) return 0;
  std::optional<OtherFiles> others;
  const ReadImport read = [&](const std::string& path, ImportedStacks& stacks) {
    if (!others) others = read_other_files(settings, stacks);
    collapse(path, settings, *others, stacks);
  };
  std::vector<std::string> more_files = settings.graph_names;
  more_files.insert(more_files.end(), settings.inductor.begin(), settings.inductor.end());
  return import_stacks(settings.import, read, more_files);
}

}  // namespace
}  // namespace aiflame::trace

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-trace", argc, argv, aiflame::trace::run);
}
