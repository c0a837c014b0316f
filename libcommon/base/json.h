// SPDX-License-Identifier: MIT
// Writes JSON.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// `text` as a JSON string, with quotes. JSON must be UTF-8: an invalid byte becomes the code point
// of the same number, so that different names stay different.
std::string json_string(std::string_view text);

// Twelve significant digits. JSON has no infinity, so that is null; nor is -0 anyone's number.
std::string json_number(double value);

}  // namespace aiflame
