// SPDX-License-Identifier: MIT
// What a text begins with, contains or is, of several words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace aiflame {

using Words = std::initializer_list<std::string_view>;

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool contains_any(std::string_view text, Words parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view each) { return contains(text, each); });
}

inline bool starts_with_any(std::string_view text, Words prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view each) { return text.starts_with(each); });
}

inline bool is_one_of(std::string_view text, Words words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace aiflame
