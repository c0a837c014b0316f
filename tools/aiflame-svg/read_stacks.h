// SPDX-License-Identifier: MIT
// Reads folded text into a flame tree.
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "tools/aiflame-svg/read/stack_lexer.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Stacks {
  FlameTree tree;
  unsigned decimals = 0;  // the tree's counts are in units of 10^-decimals
};

// Reads `paths` ("-" is standard input), skips blank lines and `# comments`, and warns once about
// lines without a count. Throws Error when the sum of the counts overflows.
Stacks read_stacks(const std::vector<std::string>& paths, const LexOptions& options);

}  // namespace aiflame::svg
