// SPDX-License-Identifier: MIT
// JSON, as far as programs write it.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// `text` as a JSON string, in its quotes. A byte that is no UTF-8, which JSON must be, becomes the
// code point of its number: unlike names stay unlike.
std::string json_string(std::string_view text);

}  // namespace aiflame
