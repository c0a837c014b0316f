// SPDX-License-Identifier: MIT
// Makes stacks of Proton's tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-proton/hatchet.h"

namespace aiflame::proton {

// A frame that Proton names by its place in the source.
struct FrameParts {
  std::string_view file, function;
  uint64_t line = 0;
};
// "/a/train.py:41@step", and "/a/train.py:step@41" of older versions. Nothing for another name.
std::optional<FrameParts> parse_source_frame(std::string_view name);

// Adds the values of the metric. Sets the quantity of the stacks. Throws Error, naming the file,
// if the tree has no such metric, and warns if the file is cut.
void fold_tree(const HatchetTree& tree, const Metric& metric, const NameRules& names,
               ImportedStacks& stacks);

}  // namespace aiflame::proton
