// SPDX-License-Identifier: MIT
// The source page of Nsight Compute as input of stackcollapse-ncu.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-ncu/source_page.h"

using namespace aiflame;
using namespace aiflame::ncu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const Samples samples : {Samples::all, Samples::exposed})
    fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
      read_source_page(path, {.names = {}, .samples = samples, .instances = true}, stacks);
    });
  return 0;
}
