// SPDX-License-Identifier: MIT
// Values as Python writes them: a text, a number, or a list, a tuple or a set of values (pure).
// Nothing else occurs in operator graphs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace aiflame::forecast {

struct PythonValue {
  bool is_list = false;
  std::string_view text;  // of a text or a number
  std::vector<PythonValue> items;
};

// Nothing where the text is not one value. The value's texts are views into it.
std::optional<PythonValue> parse_python(std::string_view text);

}  // namespace aiflame::forecast
