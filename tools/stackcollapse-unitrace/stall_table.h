// SPDX-License-Identifier: MIT
// Reads the tables that Intel's `unitrace --stall-sampling` writes.
#pragma once

#include <string>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"

namespace aiflame::unitrace {

struct TableRules {
  NameRules names;
  bool by_device = false;  // --by-device
};

// Adds the samples of all tables in a file. Throws Error with "path:line: what".
void read_stall_tables(const std::string& path, const TableRules& rules, ImportedStacks& stacks);

}  // namespace aiflame::unitrace
