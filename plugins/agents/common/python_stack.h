/* SPDX-License-Identifier: MIT
 *
 * One stack of native and Python frames.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python.h"

namespace aiflame::agent {

struct NativeFrames {
  const uint64_t* addresses = nullptr;
  const uint64_t* pointers = nullptr;  // as walk_stack() gives them
  int count = 0;
  bool is_cut = false;
};

struct MixedFrames {
  uint64_t* frames = nullptr;
  uint32_t capacity = 0;
  uint32_t count = 0;
  bool is_cut = false;
};

// Puts Python frames where their C frames are, innermost first: a function behind the C frame that
// interprets it, and its callers in the same C frame behind it, as perf's trampolines have it:
//   clEnqueueNDRangeKernel, _PyEval_EvalFrameDefault, py::inner, py::outer, PyEval_EvalCode, main
// Frames of C frames that the native walk did not get to stand at its end. `number` gives what a
// frame is written as, or 0 for one that is not. False when the two do not fit: a C frame is not
// the interpreter's, or not where the stack goes.
using NumberFrame = uint64_t (*)(void* context, uint64_t frame);
bool interleave(const NativeFrames& native, const PythonFrames& python, NumberFrame number,
                void* context, bool (*is_interpreter)(uint64_t pc), MixedFrames& out);

}  // namespace aiflame::agent
