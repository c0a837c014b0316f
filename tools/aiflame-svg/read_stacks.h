// SPDX-License-Identifier: MIT
// Folded text into a flame tree.
#pragma once

#include <string>
#include <vector>

#include "libcommon/count.h"
#include "tools/aiflame-svg/flame_tree.h"

namespace aiflame {

struct ReadOptions {
  FlameTree::Order order = FlameTree::Order::merged;
  bool reverse = false;  // turn the stacks round
  bool wakers = false;   // annotate the frames of wakers, for the palette `chain`
};

struct Stacks {
  FlameTree tree;
  unsigned decimals = 0;  // of the counts in the tree
};

// Reads `paths` ("-" is standard input), skips blank lines and `# comments`, and warns once about
// lines that have no count. Throws Error when the counts' sum overflows.
Stacks read_stacks(const std::vector<std::string>& paths, const ReadOptions& options);

}  // namespace aiflame
