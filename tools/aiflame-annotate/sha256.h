// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame::annotate {

// SHA-256 in base64, as a content policy names an inline script.
std::string sha256_base64(std::string_view text);

}  // namespace aiflame::annotate
