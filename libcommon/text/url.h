// SPDX-License-Identifier: MIT
// Text as a part of a URL (pure).
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// A path or fragment: what is no letter, digit or one of `-._:~/` as %XX.
std::string url_text(std::string_view text);

// A value in a query: what is no letter, digit or one of `-._~` as %XX.
std::string url_value(std::string_view text);

// A path as a URL relative to the page that has it; `a:b` is then no scheme.
std::string url_of_path(std::string_view path);

}  // namespace aiflame
