// SPDX-License-Identifier: MIT
// Reads folded text into a flame tree.
#pragma once

#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/folded/frame_change.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/note.h"
#include "libcommon/folded/quantity.h"
#include "tools/aiflame-svg/read/stack_lexer.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct Stacks {
  FlameTree tree;
  unsigned decimals = 0;    // the tree's counts are in units of 10^-decimals
  Quantity quantity;        // what is counted, if the input says so
  bool adds_units = false;  // counts of different units were added: --mixed
  uint64_t lines = 0;       // of the input, without blank lines and comments
  uint64_t ignored = 0;     // those of them that have no count
  LaunchFacts launches;     // what the input says about them
  Notes notes;              // what it says in words
  FrameChanges changes;     // what it says about noise
};

// Reads `paths` ("-" is standard input), skips blank lines and `# comments`, and warns once about
// lines without a count. Throws Error when the sum of the counts overflows, where counts of one
// unit follow those of another unless the options say `mixed`, and, if they are strict, at the
// first line without a count or with other counts than the first one has.
Stacks read_stacks(const std::vector<std::string>& paths, const LexOptions& options);

}  // namespace aiflame::svg
