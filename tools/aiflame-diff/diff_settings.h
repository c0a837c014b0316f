// SPDX-License-Identifier: MIT
// The command line of aiflame-diff.
#pragma once

#include <optional>

#include "libcommon/base/count.h"
#include "libcommon/folded/file_quantity.h"
#include "tools/aiflame-diff/rewriting.h"
#include "tools/aiflame-diff/sides.h"

namespace aiflame::diff {

struct DiffSettings {
  Paths paths;
  bool normalize = false;
  Rewriting rewriting;
  // --normalize-by: how much work each side did, both in the same unit
  std::optional<Pair> work;
  Compared comparison = Compared::counts;
  // --confidence: this part of the changes beyond noise is real; 0 leaves the lines of noise out
  double confidence = 0.95;
  bool no_sandbox = false;
};

// Returns nothing when --help or --version was printed. Throws UsageError.
std::optional<DiffSettings> parse_diff_settings(int argc, char** argv);

}  // namespace aiflame::diff
