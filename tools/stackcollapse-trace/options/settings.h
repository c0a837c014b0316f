// SPDX-License-Identifier: MIT
// What the user wants of stackcollapse-trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/folded/time_step.h"
#include "libcommon/import/importer.h"
#include "libcommon/timeline/timeline_stacks.h"

namespace aiflame::trace {

// What a frame of the CPU's part is, from the root to the leaf where several begin at once.
enum class Kind : uint8_t {
  range,    // record_function(), ProfilerStep#7
  python,   // a Python function
  module,   // an nn.Module
  op,       // an operator: aten::mm
  runtime,  // a call of the device's runtime or driver: cudaLaunchKernel
  forward,  // in the backward pass: what stood in the forward pass
  plain,    // what is always shown: an event of another writer's, "[autograd thread]"
};
inline constexpr size_t kKinds = 7;

struct TraceSettings {
  ImportSettings import;
  // --frames: the rank of each kind; kHidden: not shown
  static constexpr uint8_t kHidden = UINT8_MAX;
  std::array<uint8_t, kKinds> ranks{};        // all 0: as they nest
  bool regroups = false;                      // the ranks say more than what is shown
  bool merge_modules = false;                 // --merge-modules
  bool shapes = false;                        // --shapes
  bool streams = false;                       // --streams
  bool rank = false;                          // --rank
  bool by_step = false;                       // --by-step
  std::vector<std::string> root_ranges;       // --root-range
  TimeStep by_time;                           // --by-time
  bool cpu = false;                           // --cpu
  TimelineSettings timeline;                  // --idle, --outside, --exposed
  std::vector<std::string> graph_names;       // --graph-names: files
  std::vector<std::string> inductor;          // --inductor: files
  bool compiler_frames = false;               // --compiler-frames
  bool strict = false;                        // --strict
  std::string root_category;                  // --root-cat
  std::vector<std::string> stack_categories;  // --stack-cats
};

// False if --help or --version has been printed. Throws UsageError.
[[nodiscard]] bool parse_trace_settings(int argc, char** argv, TraceSettings& settings);

}  // namespace aiflame::trace
