// SPDX-License-Identifier: MIT
#include "libcommon/import/xla_names.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// More parts than this are one operator. Paths of real programs have some thirty.
constexpr int kMostParts = 500;

}  // namespace

uint32_t with_operator_path(uint32_t stack, std::string_view path, ImportedStacks& stacks) {
  for (int parts = 0; !path.empty(); ++parts) {
    const std::string_view part = parts < kMostParts ? path.substr(0, path.find('/')) : path;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (!part.empty())
      stack = stacks.child(stack, path.empty() ? operator_frame(part) : module_frame(part));
  }
  return stack;
}

std::string xla_python_frame(std::string_view name, const NameRules& rules) {
  std::string_view rest = name;
  if (!take_prefix(rest, "$")) return {};
  const std::string_view place = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), place.size() + 1));
  const size_t colon = place.rfind(':');
  const auto line = colon == std::string_view::npos
                        ? std::nullopt
                        : parse_number<uint64_t>(place.substr(colon + 1));
  return line ? python_frame(rest, place.substr(0, colon), *line, rules)
              : python_frame(name.substr(1), "", 0, rules);
}

}  // namespace aiflame
