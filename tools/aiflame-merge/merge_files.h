// SPDX-License-Identifier: MIT
// Adds up sorted inputs.
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/io/spool.h"
#include "tools/aiflame-merge/sorted_input.h"

namespace aiflame::merge {

// What inputs say beside their stacks.
struct Said {
  std::vector<FileQuantity> quantities;  // of each input
  LaunchFacts launches;                  // of all
};

// Reads all inputs at once, and writes each stack of theirs once, in order. Throws Error where an
// input is not sorted, or a sum does not fit.
Said merge_inputs(std::vector<SortedInput>& inputs, Spool& out);

// The same of files, of which few are open at a time: where there are more, groups of them are
// merged into temporary files first.
Said merge_files(const std::vector<std::string>& paths, Spool& out);

}  // namespace aiflame::merge
