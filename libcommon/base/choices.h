// SPDX-License-Identifier: MIT
// Options whose value is a list of known words: --frames python,operator (pure).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// The places in `known` of the words of "a,b", in the order of the list. Throws UsageError for a
// word that is none of them, for an empty one too, and for one that is there twice. `option` is the
// name without dashes.
std::vector<size_t> parse_choices(const char* option, std::string_view list,
                                  std::span<const std::string_view> known);

// "a, b, c", for help texts
std::string choice_names(std::span<const std::string_view> known);

}  // namespace aiflame
