// SPDX-License-Identifier: MIT
// A profile of Proton as input of stackcollapse-proton.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-proton/fold.h"
#include "tools/stackcollapse-proton/hatchet.h"

using namespace aiflame;
using namespace aiflame::proton;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const char* name : {"time", "stalled", "cycles"}) {
    const Metric metric(name);
    fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
      fold_tree(read_hatchet(path, metric), metric, {}, stacks);
    });
  }
  return 0;
}
