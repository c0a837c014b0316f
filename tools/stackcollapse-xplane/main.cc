// SPDX-License-Identifier: MIT
// stackcollapse-xplane: folds what XLA's profiler has recorded of JAX and TensorFlow.
//
//   stackcollapse-xplane logs/plugins/profile/*/*.xplane.pb | aiflame-svg > step.svg
//
// Reads the message XSpace of xplane.proto, plain or compressed:
//   /device:GPU:0, Stream #7: gemm_fusion_dot.kd, 2.96 us, correlation_id 2, hlo_op gemm_fusion_dot
//   /host:CPU, python3: PjitFunction(step), hipModuleLaunchKernel correlation_id 2
//   /host:metadata: jit_step: gemm_fusion_dot: train.py:12 step, jit(step)/mlp/dot_general
// Writes folded(5):
//   # aiflame: event gpu-time, unit ns, weights measured
//   PjitFunction(step);hipModuleLaunchKernel;jit_step_[m];py::step:train.py;jit(step)_[m];mlp_[m];dot_general_[o];-;gemm_fusion_dot_[G]
//   2960
#include <optional>

#include "libcommon/base/choices.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/io/whole_input.h"
#include "tools/stackcollapse-xplane/collapse.h"

namespace aiflame::xplane {
namespace {

// A protocol buffer has at most 2 GiB. Its tables stand behind what they name, so it is read whole.
constexpr size_t kLongest = size_t{2} << 30;

constexpr std::string_view kFrames[] = {"host", "runtime", "module", "source", "scope"};

Settings::Frames parse_frames(std::string_view list) {
  Settings::Frames out{false, false, false, false, false};
  bool* const frames[] = {&out.host, &out.runtime, &out.module, &out.source, &out.scope};
  for (const size_t chosen : parse_choices("frames", list, kFrames)) *frames[chosen] = true;
  return out;
}

std::optional<Settings> parse_settings(int argc, char** argv) {
  Options options(Options::Style::gnu, "[OPTION]... [FILE]...",
                  "Reads profiles of XLA (xplane.pb of JAX, TensorFlow and TPUs) and writes folded "
                  "stacks: the host's threads, the compiled program, lines of Python, the "
                  "operator's path, '-', kernel.",
                  "Example: stackcollapse-xplane logs/plugins/profile/*/*.xplane.pb | aiflame-svg "
                  "> step.svg");
  Settings settings;
  std::string frames;
  std::vector<std::string> by_time;
  options.text("frames", frames, "LIST",
               "the frames to show below the kernel: host, runtime, module, source, scope; "
               "default: all");
  options.values("frames", choice_names(kFrames));
  options.flag("cpu", settings.cpu, "instead of the devices' time, the time of the host's threads");
  options.flag("streams", settings.streams, "root frame with the device and its stream");
  options.flag("rank", settings.rank, "root frame with the host that wrote the file");
  options.flag("by-step", settings.by_step, "root frame with the step");
  options.list("by-time", by_time, "MS",
               "root frame with the start of the interval, of MS milliseconds, in which the work "
               "began, counted from the beginning of its file");
  add_source_options(options, settings.import.names);
  add_import_options(options, settings.import);
  if (!options.parse(argc, argv)) return std::nullopt;
  if (!frames.empty()) settings.frames = parse_frames(frames);
  for (const std::string& one : by_time) settings.by_time = TimeStep(one);
  if (settings.cpu && (settings.streams || settings.by_step))
    throw UsageError("option '--cpu' is without devices: no '--streams', no '--by-step'");
  return settings;
}

int run(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  return import_stacks(settings->import, [&](const std::string& path, ImportedStacks& stacks) {
    ByteSource source(path);
    const WholeInput message(source, kLongest);
    collapse(message.bytes(), source.name(), *settings, stacks);
  });
}

}  // namespace
}  // namespace aiflame::xplane

int main(int argc, char** argv) {
  return aiflame::run_program("stackcollapse-xplane", argc, argv, aiflame::xplane::run);
}
