// SPDX-License-Identifier: MIT
// The function of a CPU profile that costs most, and who calls it.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

struct FunctionSum {
  struct Part {
    uint32_t name = 0;  // of the tree
    uint64_t count = 0;
  };
  Part function;               // with its count without what it calls, in all stacks
  std::optional<Part> caller;  // the one with most of that count
};

// Nothing, if no function has a count of its own. Not looked for: frames in brackets, which are no
// functions (`[unknown]`, `[cc1plus]`), and stacks of perf's `swapper`, in which a processor idles.
// A caller is the nearest other function below, the outermost frame excepted: that is the process's
// name as a rule.
std::optional<FunctionSum> costliest_function(const FlameTree& tree);

}  // namespace aiflame::svg
