/* SPDX-License-Identifier: MIT
 *
 * What CPython's texts and location tables say, from their bytes. For agents, which read them in
 * place, and for the recorder, which has copies.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace aiflame {

// A unit ahead of a code object's first.
inline constexpr uint32_t kPythonBefore = UINT32_MAX;

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
inline PythonLine find_line(const uint8_t* table, uint64_t bytes, uint32_t first_line,
                            uint32_t unit) {
  int64_t line = first_line;
  uint64_t i = 0;
  const auto skip_number = [&] {
    while (i < bytes && (table[i] & 0x40) != 0) ++i;
    ++i;
  };
  const auto number = [&] {
    uint64_t value = 0;
    for (unsigned shift = 0; i < bytes; shift += 6) {
      const uint8_t byte = table[i++];
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x3f) << shift;
      if ((byte & 0x40) == 0) break;
    }
    const auto half = static_cast<int64_t>(value >> 1);
    return (value & 1) != 0 ? -half : half;
  };
  uint64_t end = 0;  // in units, of the entry
  while (i < bytes) {
    const uint8_t first = table[i++];
    const unsigned code = first >> 3 & 15;
    end += (first & 7u) + 1;
    bool has_line = true;
    if (code <= 9) {
      ++i;
    } else if (code <= 12) {
      line += static_cast<int64_t>(code) - 10;
      i += 2;
    } else if (code == 13) {
      line += number();
    } else if (code == 14) {
      line += number();
      for (int column = 0; column < 3; ++column) skip_number();
    } else {
      has_line = false;
    }
    if (i > bytes) break;
    if (unit == kPythonBefore || unit >= end) continue;
    const bool is_line = has_line && line > 0 && line <= INT32_MAX;
    return {is_line ? static_cast<uint32_t>(line) : 0, static_cast<uint32_t>(i)};
  }
  return {unit == kPythonBefore ? first_line : 0, static_cast<uint32_t>(bytes)};
}

// The characters of a str, of `kind` bytes each.
struct PythonCharacters {
  const char* begin = nullptr;
  uint64_t count = 0;
  unsigned kind = 1;

  [[nodiscard]] uint32_t at(uint64_t i) const {
    uint32_t out = 0;  // x86-64 is little endian
    std::memcpy(&out, begin + i * kind, kind);
    return out;
  }
};

namespace python_text {

// Appends a character; false when it does not fit.
[[nodiscard]] inline bool put(uint32_t c, char*& out, const char* end) {
  char bytes[4];
  size_t count = 0;
  if (c < 0x80) {
    bytes[count++] = static_cast<char>(c);
  } else if (c < 0x800) {
    bytes[count++] = static_cast<char>(0xc0 | c >> 6);
    bytes[count++] = static_cast<char>(0x80 | (c & 0x3f));
  } else if (c >= 0xdc80 && c <= 0xdcff) {
    bytes[count++] = static_cast<char>(c - 0xdc00);  // surrogateescape, PEP 383
  } else if ((c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff) {
    bytes[count++] = '?';
  } else if (c < 0x10000) {
    bytes[count++] = static_cast<char>(0xe0 | c >> 12);
    bytes[count++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
    bytes[count++] = static_cast<char>(0x80 | (c & 0x3f));
  } else {
    bytes[count++] = static_cast<char>(0xf0 | c >> 18);
    bytes[count++] = static_cast<char>(0x80 | (c >> 12 & 0x3f));
    bytes[count++] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
    bytes[count++] = static_cast<char>(0x80 | (c & 0x3f));
  }
  if (end - out < static_cast<std::ptrdiff_t>(count)) return false;
  std::memcpy(out, bytes, count);
  out += count;
  return true;
}

// Bytes in UTF-8.
inline unsigned length_of(uint32_t c) {
  if (c < 0x80 || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff) return 1;
  if (c < 0x800) return 2;
  return c < 0x10000 ? 3 : 4;
}

}  // namespace python_text

// Writes a text as UTF-8. Bytes that Python could not decode (surrogateescape) come out as they
// were. A long text is cut to its beginning or end, with "..." for the rest: of `text`, only as
// many characters as `size` are read there. "?" for none. `size` is at least 8. Returns the number
// of bytes.
enum class Keep : uint8_t { beginning, end };
inline size_t write_python_text(const PythonCharacters& text, Keep keep, char* out, size_t size) {
  using namespace python_text;
  char* at_out = out;
  const char* end = out + size;
  const uint64_t seen = text.count < size ? text.count : size;
  const uint64_t first = keep == Keep::end ? text.count - seen : 0;
  if (seen == 0) {
    *out = '?';
    return 1;
  }
  uint64_t bytes = 0;
  for (uint64_t i = first; i < first + seen; ++i) bytes += length_of(text.at(i));
  const bool is_cut = seen < text.count || bytes > size;
  if (!is_cut) {
    for (uint64_t i = first; i < first + seen && put(text.at(i), at_out, end); ++i) {
    }
    return static_cast<size_t>(at_out - out);
  }
  if (keep == Keep::beginning) {
    for (uint64_t i = 0; i < seen && put(text.at(i), at_out, end - 3); ++i) {
    }
    std::fill_n(at_out, 3, '.');
    return static_cast<size_t>(at_out + 3 - out);
  }
  uint64_t begin = first;
  for (; bytes + 3 > size; ++begin) bytes -= length_of(text.at(begin));
  std::fill_n(at_out, 3, '.');
  at_out += 3;
  for (uint64_t i = begin; i < text.count && put(text.at(i), at_out, end); ++i) {
  }
  return static_cast<size_t>(at_out - out);
}

}  // namespace aiflame
