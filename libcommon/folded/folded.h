// SPDX-License-Identifier: MIT
// Parses folded(5): `frame;frame;… COUNT`, or for a difference `frame;frame;… BEFORE AFTER`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"

namespace aiflame {

// One line. `stack` and the count texts are views into the line.
struct FoldedLine {
  std::string_view stack;         // frames joined by ';', root first; may be empty
  std::string_view count;         // the last column
  std::string_view count_before;  // the column before it in a two-count line, else empty
};

// Whether a line is no stack: blank, or beginning with "# ".
bool is_blank_or_comment(std::string_view line);

// Splits a folded line as FlameGraph does. The count is the last field, `123` or `123.5`. A number
// before it is the first of two counts. Returns false where there is no count. One blank separates
// the stack from its counts; more of them belong to the stack, so that `a;  3` has the frames `a`
// and ` `. Blanks and '\r' at the end of the line are ignored. With `two_counts` false the line has
// one count, even if the name ends in a number (`main;thread 12 100` is a thread called `thread
// 12`).
[[nodiscard]] bool split_folded(std::string_view line, bool two_counts, FoldedLine& out);

// The root of a stack.
inline std::string_view first_frame(std::string_view stack) {
  return stack.substr(0, stack.find(';'));
}
// The annotation at the end of a frame, `_[k]` and the like, or nothing.
std::string_view annotation(std::string_view frame);
// The frame without it.
std::string_view without_annotation(std::string_view frame);

}  // namespace aiflame
