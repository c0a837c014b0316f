// SPDX-License-Identifier: MIT
// Frame lines of `perf script`:
//
//       800000001430 multiply_basic+0xa30 (/home/u/objects/3f2a.zebin)
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame {

// The parts of a frame line `ADDRESS SYMBOL (OBJECT)`, as text. The symbol has its `+0x…`.
struct FrameText {
  std::string_view address, symbol, object;
  bool has_object = false;  // else the line has none, and `object` is [unknown]
};

// Splits a frame line; false where the line is no frame. The object is the content of the last
// parenthesis, with any nested ones: `/tmp/x (deleted)`, and without the offset that -F +dsoff
// adds. A line without it (-F ip,sym) has the object [unknown], and one of an address alone the
// symbol [unknown].
[[nodiscard]] bool split_frame(std::string_view line, FrameText& out);

// Whether the line is a frame with a hexadecimal address and a name.
bool looks_like_frame(std::string_view line);

// A frame line with its address and offset as numbers.
struct ScriptFrame {
  uint64_t address = 0;
  std::string_view symbol;  // without the offset
  bool has_offset = false;
  uint64_t offset = 0;
  std::string_view object;
};

[[nodiscard]] bool parse_frame(std::string_view line, ScriptFrame& out);

}  // namespace aiflame
