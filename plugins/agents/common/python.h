/* SPDX-License-Identifier: MIT
 *
 * The calling thread's Python frames (CPython). The interpreter is only asked for the thread's
 * state. The rest is read in place, with or without the GIL: only the thread itself changes its
 * frames, and they keep their code alive. Everything that is read is checked. A stack that fails a
 * check gets native frames alone.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python_chain.h"
#include "plugins/agents/common/python_code.h"

namespace aiflame::agent {

// Looks for an interpreter among the loaded objects, when those have changed since the last time.
// True when it found one for the first time.
bool look_for_python();
// For a forked child: another thread of the parent may have been in look_for_python().
void python_forked();

// What look_for_python() found.
enum class PythonState : uint8_t {
  none,
  known,    // its frames can be walked
  unknown,  // another version than those in python_layout.h, or built differently
};
PythonState python_state();
// PY_VERSION_HEX; for old versions at least major and minor.
uint32_t python_version();
// Whether it was built without one; its frames are laid out otherwise.
bool python_has_no_gil();

// The calling thread's Python frames; none in a thread without Python. False when a check fails.
[[nodiscard]] bool walk_python(PythonFrames& out);
// What the interpreter looks like, null when it cannot be walked or is gone; and its first
// PyThreadState, 0 when it does not say: another thread may be about to free it.
const PythonLayout* python_layout();
const PythonTypes& python_types();
uint64_t first_python_thread();
// Whether `pc` may be a return address in the interpreter's loop.
bool is_in_interpreter(uint64_t pc);

// What a frame's number is remembered under, as in python_code.h. `interpreter` is the number of
// the one that runs it.
uint64_t key_of(uint64_t frame, uint64_t interpreter);
// Reads where one of those frames is. `place` is valid as long as the frame.
PythonCheck read_place(uint64_t frame, PythonPlace& place);
uint64_t number_of(const PythonPlace& place, KnownTexts& known);
// Both write to `out`, of `size` bytes, and return the number of bytes.
size_t copy_name(const PythonPlace& place, char* out, size_t size);
size_t copy_file(const PythonPlace& place, char* out, size_t size);
uint32_t line_of(const PythonPlace& place);

}  // namespace aiflame::agent
