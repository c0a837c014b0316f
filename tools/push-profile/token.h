// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace aiflame::push {

// The bearer token in a file, without the newline at its end; "" where there is no file. It goes to
// servers by https, or to this machine. Throws Error.
std::string read_token(const std::string& path, const std::string& url);

}  // namespace aiflame::push
