// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/nested_spans.h"

#include <algorithm>
#include <tuple>

namespace aiflame::xplane {

void nest(std::vector<Span>& spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::tie(a.begin, b.end) < std::tie(b.begin, a.end);
  });
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < spans.size(); ++i) {
    Span& one = spans[i];
    one.own = static_cast<uint64_t>(one.end - one.begin);
    while (!open.empty() && spans[open.back()].end <= one.begin) open.pop_back();
    if (!open.empty()) {
      Span& outer = spans[open.back()];
      one.outer = open.back();
      // a span that outlasts its outer one may have taken this time already
      outer.own -=
          std::min(outer.own, static_cast<uint64_t>(std::min(outer.end, one.end) - one.begin));
    }
    open.push_back(i);
  }
}

}  // namespace aiflame::xplane
