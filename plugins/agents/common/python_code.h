/* SPDX-License-Identifier: MIT
 *
 * What a Python frame executes: the function, its file and the line.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/agents/common/python_layout.h"

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
  static constexpr uint32_t kBefore = UINT32_MAX;
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

// The line of `unit`, 0 = none, and how many bytes of the location table decide on it, from its
// beginning. PEP 626 and CPython's Objects/locations.md have the format:
// clang-format off
//   1 CCCC LLL  begins an entry of LLL + 1 units. CCCC says what follows:
//     0-9       columns; the line stays the same
//     10-12     columns; the line is 0 to 2 further
//     13        a signed number of lines
//     14        a signed number of lines, then three numbers
//     15        nothing; these units have no line
// clang-format on
struct PythonLine {
  uint32_t line = 0;
  uint32_t prefix = 0;  // bytes
};
PythonLine find_line(const uint8_t* table, uint64_t bytes, uint32_t first_line, uint32_t unit);

// Writes the text of a str as UTF-8. Bytes that Python could not decode (surrogateescape) come out
// as they were. A long text is cut to its beginning or end, with "..." for the rest. `size` is at
// least 8. Returns the number of bytes.
enum class Keep : uint8_t { beginning, end };
size_t copy_text(const PythonLayout& layout, uint64_t text, Keep keep, char* out, size_t size);

}  // namespace aiflame::agent
