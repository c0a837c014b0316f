// SPDX-License-Identifier: MIT
// Makes foreign text safe to print. The names in a profile come from programs that nobody has
// checked, and a terminal, an editor or a reviewer shows what is printed: an escape sequence would
// rewrite the screen, an override of the writing direction would show a name that is not there.
//
// Every program prints names, paths and quoted input through this, to stdout and stderr alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// False for controls (C0, DEL, C1), for marks, overrides and isolates of the writing direction, for
// line and paragraph separators, for characters without a width, and for what is no character.
// U+200C and U+200D are printable, as words of several scripts and emoji need them.
bool is_printable(uint32_t code);

// Whether printable() returns `text` as it is. Clean ASCII takes a nanosecond for 20 bytes or more.
bool is_printable(std::string_view text);
// The same for text of several lines: newlines are printable.
bool has_printable_lines(std::string_view text);

// `text` with each byte that is not printable, or not UTF-8, as an octal escape: `\033[2J` for the
// sequence that clears a terminal, `\342\200\256` for U+202E. Different texts stay different,
// unless one has such escapes already.
std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);

}  // namespace aiflame
