/* SPDX-License-Identifier: MIT
 *
 * The chain of frames of a PyThreadState: see python_layout.h.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python_layout.h"

namespace aiflame::agent {

// The thread's Python frames, from the innermost one on.
struct PythonFrames {
  // More are cut off, at the outer end. Python's own limit is 1000 unless a program sets it.
  static constexpr uint32_t kMax = 512;

  // Frames that one C frame interprets: their end in `frames`, and an address within that C frame.
  struct Run {
    uint32_t end;
    uint64_t stack_address;
  };
  uint32_t frame_count = 0, run_count = 0;
  bool is_cut = false;
  uint64_t frames[kMax];
  Run runs[kMax / 2];
};

// `thread` is a PyThreadState. False where what is read cannot be a chain of frames: it leads to
// memory that is not there, goes on without end, or does not agree with itself.
bool walk_chain(const PythonLayout& layout, uint64_t thread, PythonFrames& out);

}  // namespace aiflame::agent
