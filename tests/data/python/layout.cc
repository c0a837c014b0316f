// SPDX-License-Identifier: MIT
// Compiled with the headers of a Python: is libcommon/process/python_layout.h right about it?
#define Py_BUILD_CORE 1
#include <Python.h>
//
#undef HAVE_STD_ATOMIC  // of C, which C++ spells otherwise
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#if PY_VERSION_HEX >= 0x030e0000
#include <internal/pycore_code.h>
#include <internal/pycore_interpframe_structs.h>
#endif

#include "libcommon/process/python_layout.h"

using aiflame::PythonLayout;

constexpr PythonLayout find_layout() {
  for (const PythonLayout& layout : aiflame::kPythonLayouts)
    if (layout.version == PY_VERSION_HEX >> 16) return layout;
  return {};
}
constexpr PythonLayout layout = find_layout();
static_assert(layout.version != 0);

#define SAME(field, type, member) static_assert(layout.field == offsetof(type, member))
SAME(thread_id, PyThreadState, thread_id);
SAME(thread_number(), PyThreadState, native_thread_id);
static_assert(aiflame::python_object::kNextThread == offsetof(PyThreadState, next));
#if PY_VERSION_HEX < 0x030d0000
SAME(thread_frame, PyThreadState, cframe);
SAME(thread_root, PyThreadState, root_cframe);
SAME(cframe_frame, _PyCFrame, current_frame);
SAME(cframe_previous, _PyCFrame, previous);
SAME(frame_code, _PyInterpreterFrame, f_code);
SAME(frame_instruction, _PyInterpreterFrame, prev_instr);
#else
SAME(thread_frame, PyThreadState, current_frame);
SAME(frame_code, _PyInterpreterFrame, f_executable);
SAME(frame_instruction, _PyInterpreterFrame, instr_ptr);
static_assert(layout.thread_root == 0);
#endif
#if PY_VERSION_HEX < 0x030c0000
SAME(frame_is_entry, _PyInterpreterFrame, is_entry);
#else
static_assert(layout.frame_is_entry == 0);
#if PY_VERSION_HEX < 0x030e0000
static_assert(FRAME_OWNED_BY_CSTACK == aiflame::kOwnedByCStack);
#else
static_assert(FRAME_OWNED_BY_INTERPRETER == aiflame::kOwnedByCStack);
#endif
#endif
#if PY_VERSION_HEX >= 0x030d0000
SAME(published_thread, _Py_DebugOffsets, thread_state);
SAME(published_frame, _Py_DebugOffsets, interpreter_frame);
SAME(published_code, _Py_DebugOffsets, code_object);
using Offsets = _Py_DebugOffsets;
namespace within = aiflame::python_published;
#define WITHIN(part, constant, member) \
  static_assert(layout.published_##part + within::constant == offsetof(Offsets, member))
WITHIN(thread, kThreadFrame, thread_state.current_frame);
WITHIN(thread, kThreadId, thread_state.thread_id);
WITHIN(frame, kFramePrevious, interpreter_frame.previous);
WITHIN(frame, kFrameCode, interpreter_frame.executable);
WITHIN(frame, kFrameInstruction, interpreter_frame.instr_ptr);
WITHIN(frame, kFrameOwner, interpreter_frame.owner);
WITHIN(code, kCodeFile, code_object.filename);
WITHIN(code, kCodeName, code_object.qualname);
WITHIN(code, kCodeLines, code_object.linetable);
WITHIN(code, kCodeFirstLine, code_object.firstlineno);
WITHIN(code, kCodeBytecode, code_object.co_code_adaptive);
WITHIN(thread, kThreadNumber, thread_state.native_thread_id);
static_assert(within::kInterpreters == offsetof(Offsets, runtime_state.interpreters_head));
static_assert(within::kNextInterpreter == offsetof(Offsets, interpreter_state.next));
static_assert(within::kInterpreterThreads == offsetof(Offsets, interpreter_state.threads_head));
static_assert(within::kNoGil == offsetof(Offsets, free_threaded));
#else
static_assert(layout.published_thread == 0);
SAME(runtime_interpreters, _PyRuntimeState, interpreters.head);
SAME(interpreter_threads, PyInterpreterState, threads.head);
static_assert(aiflame::python_object::kNextInterpreter == offsetof(PyInterpreterState, next));
#endif
static_assert(layout.frame_bytes() <= sizeof(_PyInterpreterFrame));
SAME(frame_previous, _PyInterpreterFrame, previous);
SAME(frame_owner, _PyInterpreterFrame, owner);
static_assert(FRAME_OWNED_BY_GENERATOR == 1 && sizeof(_Py_CODEUNIT) == 2);
SAME(code_first_line, PyCodeObject, co_firstlineno);
SAME(code_file, PyCodeObject, co_filename);
SAME(code_name, PyCodeObject, co_qualname);
SAME(code_lines, PyCodeObject, co_linetable);
SAME(code_first_traceable, PyCodeObject, _co_firsttraceable);
SAME(code_bytecode, PyCodeObject, co_code_adaptive);
#if PY_VERSION_HEX >= 0x030c0000
SAME(code_version, PyCodeObject, co_version);
#else
static_assert(layout.code_version == 0);
#endif
static_assert(layout.frame_object_bytes ==
              offsetof(PyFrameObject, _f_frame_data) + offsetof(_PyInterpreterFrame, localsplus));
static_assert(layout.unicode_bytes == sizeof(PyUnicodeObject));
static_assert(layout.ascii_text == sizeof(PyASCIIObject));
static_assert(layout.other_text == sizeof(PyCompactUnicodeObject));

namespace objects = aiflame::python_object;
static_assert(objects::kType == offsetof(PyObject, ob_type));
static_assert(objects::kSize == offsetof(PyVarObject, ob_size));
static_assert(objects::kTypeBytes == offsetof(PyTypeObject, tp_basicsize));
static_assert(objects::kLength == offsetof(PyASCIIObject, length));
static_assert(objects::kHash == offsetof(PyASCIIObject, hash));
static_assert(objects::kState == offsetof(PyASCIIObject, state));
static_assert(objects::kInterpreter == offsetof(PyThreadState, interp));
static_assert(objects::kBytesText == offsetof(PyBytesObject, ob_sval));
