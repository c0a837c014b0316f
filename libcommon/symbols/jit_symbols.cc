// SPDX-License-Identifier: MIT
#include "libcommon/symbols/jit_symbols.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"

namespace aiflame {

JitSymbols::JitSymbols(std::string text) : text_(std::move(text)) {
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = std::string_view(text_).substr(at, end - at);
    at = end + 1;
    std::string_view numbers[2];
    for (std::string_view& number : numbers) {
      const size_t blank = std::min(line.find(' '), line.size());
      number = line.substr(0, blank);
      line.remove_prefix(std::min(blank + 1, line.size()));
    }
    take_prefix(numbers[0], "0x");
    take_prefix(numbers[1], "0x");
    const auto start = parse_hex(numbers[0]), size = parse_hex(numbers[1]);
    if (!start || !size || line.empty()) continue;
    symbols_.push_back(
        {*start, *size, static_cast<size_t>(line.data() - text_.data()), line.size()});
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.start < b.start; });
}

std::optional<JitSymbols::Function> JitSymbols::function_at(uint64_t address) const {
  auto next = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                               [](uint64_t at, const Symbol& s) { return at < s.start; });
  // of code that was compiled again at the same address, the last
  for (int steps = 0; next != symbols_.begin() && steps < 8; ++steps) {
    --next;
    if (address - next->start < next->size)
      return Function{std::string_view(text_).substr(next->name, next->length), next->start};
  }
  return std::nullopt;
}

std::optional<std::string_view> JitSymbols::at(uint64_t address) const {
  const auto found = function_at(address);
  return found ? std::optional(found->name) : std::nullopt;
}

}  // namespace aiflame
