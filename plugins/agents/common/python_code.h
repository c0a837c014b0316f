/* SPDX-License-Identifier: MIT
 *
 * What a Python frame executes, in words: the function, its file and the line.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/agents/common/python_layout.h"

namespace aiflame::agent {

// The types that objects must be of for their content to be believed.
struct PythonTypes {
  uint64_t code = 0, unicode = 0, bytes = 0;
};

// A place in a code object. Its parts are checked to be what they must be.
struct PythonPlace {
  uint64_t name = 0, file = 0;  // str
  uint64_t lines = 0;           // the location table: its bytes
  uint64_t line_bytes = 0;
  uint32_t first_line = 0;
  uint32_t unit = 0;  // of two bytes, the instruction; kBefore in front of the first
  static constexpr uint32_t kBefore = UINT32_MAX;
};

enum class PythonCheck : uint8_t {
  passed,
  hidden,  // the interpreter has not begun with it, and does not show it in a traceback either
  failed,
};

// `frame` is a _PyInterpreterFrame.
PythonCheck read_place(const PythonLayout& layout, const PythonTypes& types, uint64_t frame,
                       PythonPlace& place);

// Hashes of texts, for the length of a walk: frames of a file have one str for its name, which
// cannot go away as long as they are there.
struct KnownTexts {
  static constexpr unsigned kSlots = 16;
  uint64_t texts[kSlots] = {};
  uint64_t hashes[kSlots];
};

// A number for function, file and line, of what they are and not of where they lie: objects come
// and go at the same addresses. The same place has the same number every time.
uint64_t number_of(const PythonPlace& place, const PythonLayout& layout, KnownTexts& known);

// The part of the location table that decides on the line of `unit`, from its beginning, and that
// line, 0 = none. PEP 626 and CPython's Objects/locations.md have the format:
//   1 CCCC LLL  begins an entry of LLL + 1 units; CCCC says what follows: 0-9 columns, 10-12 the
//   line is 0-2 further, 13 a signed number of lines, 14 that and three numbers, 15 no line
struct PythonLine {
  uint32_t line = 0;
  uint32_t prefix = 0;  // bytes
};
PythonLine find_line(const uint8_t* table, uint64_t bytes, uint32_t first_line, uint32_t unit);

// The text of a str as UTF-8, with what Python could not decode (surrogateescape) as it was; of a
// longer one its beginning or end, and "..." for the rest. `size` at least 8. Returns the bytes.
enum class Keep : uint8_t { beginning, end };
size_t copy_text(const PythonLayout& layout, uint64_t text, Keep keep, char* out, size_t size);

}  // namespace aiflame::agent
