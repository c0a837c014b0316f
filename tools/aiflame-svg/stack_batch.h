// SPDX-License-Identifier: MIT
// Some hundred kilobytes of folded text, taken apart into marked stacks with counts: what one
// thread hands to the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/count.h"
#include "tools/aiflame-svg/marked_stack.h"

namespace aiflame {

struct StackBatch {
  struct Line {
    uint64_t number;     // in its file
    size_t text, marks;  // where its own begin; they end where those of the next line do
    uint32_t shared;     // see FlameTree::Stack
    bool sorted, differs;
    Count count, before;
  };
  std::string path;
  std::string text;
  std::vector<Mark> marks;
  std::vector<Line> lines;

  void clear() {
    text.clear();
    marks.clear();
    lines.clear();
  }
};

}  // namespace aiflame
