/* SPDX-License-Identifier: MIT
 *
 * What a Python frame executes: the function, its file and the line.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcommon/process/python_layout.h"
#include "libcommon/process/python_text.h"

namespace aiflame::agent {

// The types that objects must have before their content is trusted.
struct PythonTypes {
  uint64_t code = 0, unicode = 0, bytes = 0;
};

// A place in a code object, whose parts have been checked.
struct PythonPlace {
  uint64_t name = 0, file = 0;  // str
  uint64_t lines = 0;           // the location table: its bytes
  uint64_t line_bytes = 0;
  uint32_t first_line = 0;
  uint32_t unit = 0;  // the instruction, in units of two bytes; kBefore = ahead of the first
  static constexpr uint32_t kBefore = kPythonBefore;
};

enum class PythonCheck : uint8_t {
  passed,
  hidden,  // the interpreter has not started it; tracebacks do not show it either
  failed,
};

// `frame` is a _PyInterpreterFrame.
PythonCheck read_place(const PythonLayout& layout, const PythonTypes& types, uint64_t frame,
                       PythonPlace& place);

// Hashes of texts, valid during one walk. All frames of a file share the str of its name, which
// lives as long as they do.
struct KnownTexts {
  static constexpr unsigned kSlots = 16;
  uint64_t texts[kSlots] = {};
  uint64_t hashes[kSlots];
};

// A number for function, file and line. It is made from their content, not their addresses, which
// are reused. The same place always has the same number.
uint64_t number_of(const PythonPlace& place, const PythonLayout& layout, KnownTexts& known);

// The numbers of frames that were read before. A code object does not change, so a frame at the
// same instruction of the same one has the same number. Where the version of CPython numbers its
// code objects, one that lies where another was freed is known as another; `interpreter` is the
// number of the interpreter that numbered it.
// What the frame's number is remembered under; 0 = it is not to be remembered.
uint64_t key_of(const PythonLayout& layout, uint64_t frame, uint64_t interpreter);
// 0 = none
uint64_t remembered_number(uint64_t key);
void remember_number(uint64_t key, uint64_t number);

// write_python_text() of a str, which lies at `text`; 0 = none.
size_t copy_text(const PythonLayout& layout, uint64_t text, Keep keep, char* out, size_t size);

}  // namespace aiflame::agent
