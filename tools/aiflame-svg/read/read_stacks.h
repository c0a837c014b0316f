// SPDX-License-Identifier: MIT
// Folded text into a flame tree.
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "tools/aiflame-svg/read/stack_lexer.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Stacks {
  FlameTree tree;
  unsigned decimals = 0;  // of the counts in the tree
};

// Reads `paths` ("-" is standard input), skips blank lines and `# comments`, and warns once about
// lines that have no count. Throws Error when the counts' sum overflows.
Stacks read_stacks(const std::vector<std::string>& paths, const LexOptions& options);

}  // namespace aiflame::svg
