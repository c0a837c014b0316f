// SPDX-License-Identifier: MIT
// Writes the counted stacks as folded(5), sorted.
#pragma once

#include <optional>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/folded/folded_lines.h"
#include "tools/stackcollapse-aiflame/fold/device_counts.h"
#include "tools/stackcollapse-aiflame/fold/filtered_stacks.h"
#include "tools/stackcollapse-aiflame/fold/frame_tables.h"
#include "tools/stackcollapse-aiflame/name/compiler_frames.h"
#include "tools/stackcollapse-aiflame/name/interpreter_frames.h"
#include "tools/stackcollapse-aiflame/write/drawn_times.h"
#include "tools/stackcollapse-aiflame/write/graph_frames.h"
#include "tools/stackcollapse-aiflame/write/range_roots.h"
#include "tools/stackcollapse-aiflame/write/time_scale.h"

namespace aiflame::collapse {

class StackWriter {
 public:
  // Made after all frames are known. `intervals`: lines begin with their interval (--by-time).
  // `roots`: [device] or [cpu] follows. `hide_interpreter`: --hide-interpreter.
  // `compiler_frames`: --compiler-frames. `by_range`: --by-range.
  StackWriter(FrameTables& tables, bool intervals, bool roots, bool hide_interpreter,
              bool compiler_frames, GraphFrames graph_frames, const RangeChoice& by_range);

  // Adds the lines of an event of kDeviceEvents, and those of CPU samples. `scales`: by sampler;
  // none: counts stay as they are.
  void add_device(const DeviceCounts& counts, std::string_view event,
                  const std::vector<TimeScale>& scales);
  void add_cpu(const StackCounts& counts);
  // Adds the lines of gpu-stall, each as its exposed samples under the root [exposed], and the
  // others under [hidden].
  void add_exposed(const DeviceCounts& counts);
  // Adds the lines of gpu-time and those of idle time, as they are drawn. `marks`: with --exposed.
  void add_times(const DeviceCounts& counts, const DrawnTimes& times);
  // After the last line: the roots of --by-range.
  const RangeRoots& range_roots() const { return range_roots_; }
  // Returns the sum of the counts.
  uint64_t write(Output& out) { return lines_.write(out); }

 private:
  void begin_line(uint32_t interval, uint32_t root, std::vector<uint32_t>& line) const;
  // All frames of a line that begins at `begin` are there.
  void end_line(size_t begin, std::vector<uint32_t>& line);
  void append_device(const DeviceCounts::Line& drawn, std::vector<uint32_t>& line) const;
  void append_idle(const DeviceCounts::Line& drawn, bool is_idle,
                   std::vector<uint32_t>& line) const;
  void append_stack(uint32_t stack, std::vector<uint32_t>& line) const;

  FrameTables& tables_;
  FoldedLines lines_;
  const bool intervals_, roots_;
  const uint32_t device_root_, cpu_root_, boundary_, unknown_, unknown_launch_, exposed_root_,
      hidden_root_, not_recorded_;
  const GraphStacks graphs_;
  RangeRoots range_roots_;
  std::optional<CompilerFrames> compiler_;
  std::optional<InterpreterFrames> interpreter_;
};

}  // namespace aiflame::collapse
