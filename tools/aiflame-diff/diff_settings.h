// SPDX-License-Identifier: MIT
// The command line of aiflame-diff.
#pragma once

#include <optional>

#include "libcommon/base/count.h"
#include "tools/aiflame-diff/file_quantity.h"
#include "tools/aiflame-diff/rewriting.h"

namespace aiflame::diff {

struct DiffSettings {
  Paths paths;
  bool normalize = false;
  Rewriting rewriting;
  // --normalize-by: how much work each side did, both in the same unit
  std::optional<Pair> work;
  Comparison comparison = Comparison::counts;
  bool no_sandbox = false;
};

// Returns nothing when --help or --version was printed. Throws UsageError.
std::optional<DiffSettings> parse_diff_settings(int argc, char** argv);

}  // namespace aiflame::diff
