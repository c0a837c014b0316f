// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace aiflame::push {

// The bearer token in a file, without the newline at its end; "" where there is no file. It goes to
// servers by https, or to this machine. Throws Error.
std::string read_token(const std::string& path, const std::string& url);

// Whether a URL is of http, and leads to this machine without a proxy.
bool is_on_this_machine(std::string_view url);

}  // namespace aiflame::push
