/* SPDX-License-Identifier: MIT
 *
 * The calling thread's Python frames, CPython's, between its native ones. Nothing is asked of the
 * interpreter but which state the thread has; the rest is read where it lies, whether or not the
 * thread holds the GIL: its frames, and the code that they keep alive, change by its own doing
 * alone. What is read is checked, and a stack whose frames do not pass has native ones alone.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python_chain.h"
#include "plugins/agents/common/python_code.h"

namespace aiflame::agent {

// Looks for an interpreter among the objects of this process, where those have changed since the
// last time. True when one was found that was not known.
bool look_for_python();
// In a forked child, whose parent's other threads may have been at it.
void python_forked();

// What has been found.
enum class PythonState : uint8_t {
  none,
  known,    // its frames can be walked
  unknown,  // another version than those in python_layout.h, or not built as they are
};
PythonState python_state();
// PY_VERSION_HEX, or of an older one at least major and minor.
uint32_t python_version();

// The calling thread's Python frames; one without Python has none. False where a check fails.
bool walk_python(PythonFrames& out);
// Whether a C frame that interprets may return to `pc`.
bool is_in_interpreter(uint64_t pc);

// Of one of those frames. `place` has its meaning as long as the frame does.
PythonCheck read_place(uint64_t frame, PythonPlace& place);
uint64_t number_of(const PythonPlace& place, KnownTexts& known);
// Into `out`, of `size`: how many bytes.
size_t copy_name(const PythonPlace& place, char* out, size_t size);
size_t copy_file(const PythonPlace& place, char* out, size_t size);
uint32_t line_of(const PythonPlace& place);

}  // namespace aiflame::agent
