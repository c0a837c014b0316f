/* SPDX-License-Identifier: MIT
 *
 * The chain of a PyThreadState's frames: see python_layout.h.
 */
#pragma once

#include <cstdint>

#include "libcommon/process/python_layout.h"

namespace aiflame::agent {

// The thread's Python frames, innermost first.
struct PythonFrames {
  // Frames beyond these are cut off at the outer end. Python's own limit is 1000 unless a program
  // changes it.
  static constexpr uint32_t kMax = 512;

  // The frames that one C frame interprets: where they end in `frames`, and an address within that
  // C frame.
  struct Run {
    uint32_t end;
    uint64_t stack_address;
  };
  uint32_t frame_count = 0, run_count = 0;
  bool is_cut = false;
  uint64_t interpreter = 0;  // the number of the one that runs them
  uint64_t frames[kMax];
  Run runs[kMax / 2];
};

// `thread` is a PyThreadState. False when this cannot be a chain of frames: when it leads to
// unmapped memory, has no end, or contradicts itself.
[[nodiscard]] bool walk_chain(const PythonLayout& layout, uint64_t thread, PythonFrames& out);

}  // namespace aiflame::agent
