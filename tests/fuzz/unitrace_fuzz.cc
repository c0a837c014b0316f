// SPDX-License-Identifier: MIT
// Tables of unitrace as input of stackcollapse-unitrace.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-unitrace/stall_table.h"

using namespace aiflame;
using namespace aiflame::unitrace;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
    read_stall_tables(path, {.names = {}, .by_device = true}, stacks);
  });
  return 0;
}
