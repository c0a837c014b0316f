// SPDX-License-Identifier: MIT
// Frame lines of `perf script`:
//
//       800000001430 multiply_basic+0xa30 (/home/u/objects/3f2a.zebin)
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame {

// A frame line, apart: `ADDRESS SYMBOL (OBJECT)`, the symbol with its `+0x…`.
struct FrameText {
  std::string_view address, symbol, object;
};

// False when the line is not a frame. The object is what the last parenthesis holds, nested ones
// included: `/tmp/x (deleted)`.
bool split_frame(std::string_view line, FrameText& out);

// Is `line` a frame with a hexadecimal address and a name?
bool looks_like_frame(std::string_view line);

// The same with its numbers.
struct ScriptFrame {
  uint64_t address = 0;
  std::string_view symbol;  // without the offset
  bool has_offset = false;
  uint64_t offset = 0;
  std::string_view object;
};

bool parse_frame(std::string_view line, ScriptFrame& out);

}  // namespace aiflame
