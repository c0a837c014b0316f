// SPDX-License-Identifier: MIT
#include "libcommon/base/choices.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame {

std::string choice_names(std::span<const std::string_view> known) {
  std::string out;
  for (const std::string_view name : known) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

std::vector<size_t> parse_choices(const char* option, std::string_view list,
                                  std::span<const std::string_view> known) {
  std::vector<size_t> out;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    const auto at = std::find(known.begin(), known.end(), word);
    if (at == known.end())
      throw UsageError(format("option '--%s': '%s' is none of %s", option,
                              std::string(word).c_str(), choice_names(known).c_str()));
    const auto place = static_cast<size_t>(at - known.begin());
    if (std::find(out.begin(), out.end(), place) != out.end())
      throw UsageError(
          format("option '--%s': '%s' is there twice", option, std::string(word).c_str()));
    out.push_back(place);
    if (comma == std::string_view::npos) return out;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace aiflame
