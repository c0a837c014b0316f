// SPDX-License-Identifier: MIT
// Reads Nsight Compute's source page, as `ncu --csv --page source` writes it.
#pragma once

#include <string>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-ncu/source_columns.h"

namespace aiflame::ncu {

struct SourceRules {
  NameRules names;
  Samples samples = Samples::all;
  bool instances = false;  // --instances: launches of a kernel apart
};

// Adds the samples of all kernels in a file. Throws Error with "path:line: what".
void read_source_page(const std::string& path, const SourceRules& rules, ImportedStacks& stacks);

// "1,024" or "42"; a cell without a value ("", "-", "n/a") is 0. Nothing for other text.
std::optional<uint64_t> parse_samples(std::string_view cell);

}  // namespace aiflame::ncu
