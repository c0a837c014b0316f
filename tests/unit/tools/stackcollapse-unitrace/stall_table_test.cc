// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-unitrace/stall_table.h"

#include <gtest/gtest.h>

#include "tests/unit/libcommon/import/damage.h"

namespace aiflame::unitrace {
namespace {

// made by hand
constexpr const char* kTables =
    "\n=== Device #0 Metrics ===\n\n"
    "  Kernel, IP[Address], Active[Events], PSDepStall[Events], SbidStall[Events]\n"
    "\"k(a, b)\",     1b8,              3,                  0,               57\n"
    "\n=== Device #1 Metrics ===\n\n"
    "Kernel, IP[Address], Active[Events]\n"
    "k(a, b), 8, 4\n";

TEST(StallTables, Damaged) {
  for (const bool by_device : {false, true}) {
    const auto read = [&](const std::string& path, ImportedStacks& stacks) {
      read_stall_tables(path, {.names = {}, .by_device = by_device}, stacks);
    };
    EXPECT_EQ(import_bytes(kTables, read), "");
    sweep_damage(kTables, read);
  }
}

}  // namespace
}  // namespace aiflame::unitrace
