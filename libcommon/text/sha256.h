// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// The 32 bytes of SHA-256 (FIPS 180-4; pure).
std::string sha256(std::string_view text);

}  // namespace aiflame
