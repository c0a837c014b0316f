// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// Appends the bytes in base64 (RFC 4648). Parts follow each other if all but the last are of a
// multiple of three bytes (pure).
void append_base64(std::string& out, std::string_view bytes);

}  // namespace aiflame
