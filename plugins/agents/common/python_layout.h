/* SPDX-License-Identifier: MIT
 *
 * Where CPython keeps what a stack walk needs, on x86-64. The offsets are from the headers of each
 * version (Include/internal/pycore_frame.h, Include/cpython/pystate.h, code.h, unicodeobject.h);
 * the test compares them with the installed headers. Only versions that the tests walk are listed.
 * Offsets stay the same within a minor version, from its first release on; those of other minor
 * versions are not guessed.
 *
 *   PyThreadState ── cframe ──► _PyCFrame ── current_frame ─┐        3.11, 3.12
 *   PyThreadState ── current_frame ─────────────────────────┤        3.13
 *                                                           ▼
 *        NULL ◄── previous ── _PyInterpreterFrame ◄── _PyInterpreterFrame ── code ──► PyCodeObject
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent {

struct PythonLayout {
  uint32_t version;  // PY_VERSION_HEX >> 16

  // PyThreadState
  uint16_t thread_frame;  // cframe, or current_frame
  uint16_t thread_id;     // pthread_self() of its thread
  uint16_t thread_root;   // root_cframe; 0 = this version has no _PyCFrame

  // _PyCFrame, which lies in the C frame of each _PyEval_EvalFrameDefault()
  uint16_t cframe_frame, cframe_previous;

  // _PyInterpreterFrame
  uint16_t frame_code, frame_previous, frame_instruction;
  uint16_t frame_is_entry;  // a bool: the outermost frame of a C frame; 0 = see owner
  uint16_t frame_owner;     // a char: 3 = lies in the C frame, and marks it

  // PyCodeObject
  uint16_t code_first_line, code_file, code_name, code_lines, code_first_traceable, code_bytecode;

  // The sizes that the types must state themselves (PyTypeObject.tp_basicsize).
  uint16_t frame_object_bytes, unicode_bytes;

  // Where a str's text begins: PyASCIIObject, PyCompactUnicodeObject
  uint16_t ascii_text, other_text;
};

inline constexpr char kOwnedByCStack = 3;

inline constexpr PythonLayout kPythonLayouts[] = {
    {0x030b, 56, 152, 336, 8, 16, 32, 48, 56, 68, 69, 72, 112, 128, 136, 168, 184, 120, 80, 48, 72},
    {0x030c, 56, 136, 272, 0, 8, 0, 8, 56, 0, 70, 68, 112, 128, 136, 176, 192, 120, 64, 40, 56},
    {0x030d, 72, 152, 0, 0, 0, 0, 8, 56, 0, 70, 68, 112, 128, 136, 184, 200, 136, 64, 40, 56},
};

// The same in all of them.
namespace python_object {
inline constexpr size_t kType = 8, kSize = 16;                  // PyVarObject
inline constexpr size_t kTypeBytes = 32;                        // PyTypeObject.tp_basicsize
inline constexpr size_t kLength = 16, kHash = 24, kState = 32;  // PyASCIIObject
inline constexpr uint32_t kCompact = 0x20, kAscii = 0x40;       // of its state
inline constexpr unsigned kKindShift = 2, kKindMask = 7;        // 1, 2 or 4 bytes a character
inline constexpr size_t kBytesText = 32;                        // PyBytesObject.ob_sval
// _PyRuntime since 3.13: "xdebugpy", version, and whether this is a build without GIL
inline constexpr size_t kFreeThreaded = 16;
}  // namespace python_object

}  // namespace aiflame::agent
