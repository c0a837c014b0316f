/* SPDX-License-Identifier: MIT
 *
 * Joins native and Python frames into one stack.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python.h"

namespace aiflame::agent {

struct NativeFrames {
  const uint64_t* addresses = nullptr;
  const uint64_t* pointers = nullptr;  // as from walk_stack()
  int count = 0;
  bool is_cut = false;
};

struct MixedFrames {
  uint64_t* frames = nullptr;
  uint32_t capacity = 0;
  uint32_t count = 0;
  bool is_cut = false;
};

// Puts Python frames where their C frames are, innermost first. A function follows the C frame that
// interprets it, and its callers in the same C frame follow the function, in the order of perf's
// trampolines:
//   clEnqueueNDRangeKernel, _PyEval_EvalFrameDefault, py::inner, py::outer, PyEval_EvalCode, main
// Python frames whose C frames the native walk did not reach come last. `number` returns the number
// that stands for a frame in the stack, or 0 for a frame that is left out. False when the two do
// not fit: when a C frame is not the interpreter's, or does not lie on the stack.
using NumberFrame = uint64_t (*)(void* context, uint64_t frame);
[[nodiscard]] bool interleave(const NativeFrames& native, const PythonFrames& python,
                              NumberFrame number, void* context,
                              bool (*is_interpreter)(uint64_t pc), MixedFrames& out);

}  // namespace aiflame::agent
