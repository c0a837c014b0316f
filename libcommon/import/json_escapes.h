// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// Resolves the escapes of a JSON string, given without its quotes: \n, \u00e9, \ud83d\ude00.
// Returns what is wrong with them, or nothing.
//
// Half of a surrogate pair becomes U+FFFD: Python writes \udcff for a byte of a path that is not
// UTF-8, and that is no reason to refuse the file.
const char* unescape_json(std::string_view text, std::string& out);
// The same, but where some escape is none, the writer escaped nothing: C:\Users\test.py.
// Backslashes stay then, but for \" and \\.
void unescape_broken_json(std::string_view text, std::string& out);

}  // namespace aiflame
