// SPDX-License-Identifier: MIT
// Shorter forms of the names of functions, for frames that are too narrow for the whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aiflame::svg {

// The forms of a name from the whole to the shortest: without template arguments, parameters, the
// scopes around it. A lambda is named after the function that it stands in. page/labels.js has the
// same rule; tests/data/aiflame-svg/labels.tsv tests both.
//
//   std::vector<int, std::allocator<int> >::push_back(int&&)
//   std::vector<…>::push_back(int&&)
//   std::vector<…>::push_back(…)
//   std::vector<…>::push_back
//   vector<…>::push_back
//   vector::push_back
//   push_back
std::vector<std::string> short_forms(std::string_view name);

}  // namespace aiflame::svg
