/* SPDX-License-Identifier: MIT
 *
 * Where CPython keeps what a stack walk needs, on x86-64. Agents walk in the process, and
 * tools/gpustall-record/python from outside. The offsets are from the headers of each
 * version (Include/internal/pycore_frame.h, Include/cpython/pystate.h, code.h, unicodeobject.h);
 * the test compares them with the installed headers. Only versions that the tests walk are listed.
 * Offsets stay the same within a minor version, from its first release on; those of other minor
 * versions are not guessed. Since 3.13 the interpreter itself says most of them (_Py_DebugOffsets);
 * one that says others is built differently, and is not walked.
 *
 *   PyThreadState ── cframe ──► _PyCFrame ── current_frame ─┐        3.11, 3.12
 *   PyThreadState ── current_frame ─────────────────────────┤        3.13, 3.14
 *                                                           ▼
 *        NULL ◄── previous ── _PyInterpreterFrame ◄── _PyInterpreterFrame ── code ──► PyCodeObject
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame {

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
  // a number of 32 bits that no two code objects of an interpreter have, except 0, when it ran out
  // of them; 0 = this version has none
  uint16_t code_version;

  // The sizes that the types must state themselves (PyTypeObject.tp_basicsize).
  uint16_t frame_object_bytes, unicode_bytes;

  // Where a str's text begins: PyASCIIObject, PyCompactUnicodeObject
  uint16_t ascii_text, other_text;

  // Where _Py_DebugOffsets has its parts of the same names; 0 = this version has none
  uint16_t published_thread, published_frame, published_code;

  // _PyRuntimeState.interpreters.head and PyInterpreterState.threads.head, for who cannot ask the
  // interpreter; 0 = see published
  uint16_t runtime_interpreters, interpreter_threads;

  // PyThreadState.native_thread_id: the kernel's number, in the process's pid namespace
  [[nodiscard]] constexpr size_t thread_number() const { return size_t{thread_id} + 8; }

  // Of a frame, what is read: up to its owner and the flags after it.
  [[nodiscard]] constexpr size_t frame_bytes() const { return (frame_owner | size_t{7}) + 1; }
};

inline constexpr char kOwnedByCStack = 3;

// clang-format off
inline constexpr PythonLayout kPythonLayouts[] = {
    {0x030b, 56, 152, 336, 8, 16, 32, 48, 56, 68, 69, 72, 112, 128, 136, 168, 184, 0, 120, 80, 48,
     72, 0, 0, 0, 40, 16},
    {0x030c, 56, 136, 272, 0, 8, 0, 8, 56, 0, 70, 68, 112, 128, 136, 176, 192, 92, 120, 64, 40, 56,
     0, 0, 0, 40, 72},
    {0x030d, 72, 152, 0, 0, 0, 0, 8, 56, 0, 70, 68, 112, 128, 136, 184, 200, 92, 136, 64, 40, 56,
     152, 224, 272, 0, 0},
    {0x030e, 72, 152, 0, 0, 0, 0, 8, 56, 0, 74, 68, 112, 128, 136, 192, 208, 92, 152, 64, 40, 56,
     176, 248, 312, 0, 0},
};
// clang-format on

// The same in all of them.
namespace python_object {
inline constexpr size_t kType = 8, kSize = 16;                  // PyVarObject
inline constexpr size_t kTypeBytes = 32;                        // PyTypeObject.tp_basicsize
inline constexpr size_t kLength = 16, kHash = 24, kState = 32;  // PyASCIIObject
inline constexpr uint32_t kCompact = 0x20, kAscii = 0x40;       // of its state
inline constexpr unsigned kKindShift = 2, kKindMask = 7;        // 1, 2 or 4 bytes a character
inline constexpr size_t kBytesText = 32;                        // PyBytesObject.ob_sval
inline constexpr size_t kNextThread = 8;                        // PyThreadState.next
inline constexpr size_t kInterpreter = 16;                      // PyThreadState.interp
inline constexpr size_t kNextInterpreter = 0;  // PyInterpreterState.next, before 3.13
// A frame's reference to its code has a mark since 3.14: the frame does not count it.
inline constexpr uint64_t kReferenceMark = 1;
}  // namespace python_object

// What _PyRuntime begins with since 3.13 (_Py_DebugOffsets): a cookie, the version, whether there
// is no GIL, then offsets, each of eight bytes.
namespace python_published {
inline constexpr char kCookie[] = "xdebugpy";
inline constexpr size_t kNoGil = 16;
inline constexpr size_t kInterpreters = 40, kNextInterpreter = 64, kInterpreterThreads = 72;
inline constexpr size_t kThreadFrame = 32, kThreadId = 40, kThreadNumber = 48;
inline constexpr size_t kFramePrevious = 8, kFrameCode = 16, kFrameInstruction = 24,
                        kFrameOwner = 40;
inline constexpr size_t kCodeFile = 8, kCodeName = 24, kCodeLines = 32, kCodeFirstLine = 40,
                        kCodeBytecode = 72;
}  // namespace python_published

// `Load`: bool(uint64_t address, uint64_t& value), which reads memory of the process.
template <typename Load>
class PythonDebugOffsets {
 public:
  PythonDebugOffsets(Load load, uint64_t runtime) : load_(load), at_(runtime) {
    uint64_t cookie = 0, expected = 0;
    __builtin_memcpy(&expected, python_published::kCookie, sizeof expected);
    is_there_ = load_(at_, cookie) && cookie == expected;
  }
  bool has_no_gil() const { return is_there_ && !is(python_published::kNoGil, 0); }
  // 0 = not published
  uint64_t at(size_t where) const {
    uint64_t value = 0;
    return is_there_ && load_(at_ + where, value) ? value : 0;
  }
  bool are(const PythonLayout& layout) const {
    using namespace python_published;
    const size_t thread = layout.published_thread, frame = layout.published_frame,
                 code = layout.published_code;
    return is_there_ && is(thread + kThreadFrame, layout.thread_frame) &&
           is(thread + kThreadId, layout.thread_id) &&
           is(frame + kFramePrevious, layout.frame_previous) &&
           is(frame + kFrameCode, layout.frame_code) &&
           is(frame + kFrameInstruction, layout.frame_instruction) &&
           is(frame + kFrameOwner, layout.frame_owner) && is(code + kCodeFile, layout.code_file) &&
           is(code + kCodeName, layout.code_name) && is(code + kCodeLines, layout.code_lines) &&
           is(code + kCodeFirstLine, layout.code_first_line) &&
           is(code + kCodeBytecode, layout.code_bytecode);
  }

 private:
  bool is(size_t where, uint64_t expected) const {
    uint64_t value = 0;
    return load_(at_ + where, value) && value == expected;
  }

  Load load_;
  uint64_t at_;
  bool is_there_ = false;
};

}  // namespace aiflame
