// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/flame_chart.h"

#include <algorithm>

#include "libcommon/text/byte_scan.h"

namespace aiflame::svg {

FlameChart::FlameChart() : builder_(names_.intern("")) {}

void FlameChart::add(std::span<const CountedStack> stacks) {
  for (const CountedStack& stack : stacks) add(stack);
}

void FlameChart::add(const CountedStack& stack) {
  const std::string_view text = stack.text.substr(0, stack.text.find_last_not_of(';') + 1);
  const size_t same = common_prefix(text, last_);
  // A frame of the previous stack stays open when it ends within the common bytes, and ends at the
  // same place in this stack.
  while (!ends_.empty() && (text.empty() || ends_.back() > same ||
                            (ends_.back() < text.size() && text[ends_.back()] != ';')))
    ends_.pop_back();
  while (builder_.depth() > ends_.size() + 1) builder_.close();
  size_t begin = ends_.empty() ? 0 : ends_.back() + 1;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(';', begin), text.size());
    builder_.open(names_.intern(text.substr(begin, end - begin)));
    ends_.push_back(end);
    begin = end + 1;
  }
  builder_.count(stack.count, stack.before);
  last_.assign(text);
}

}  // namespace aiflame::svg
