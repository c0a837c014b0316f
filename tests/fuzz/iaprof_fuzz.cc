// SPDX-License-Identifier: MIT
// A profile of iaprof as input of stackcollapse-iaprof.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-iaprof/profile.h"

using namespace aiflame;
using namespace aiflame::iaprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const bool by_time : {false, true})
    fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
      ProfileRules rules{.names = {}, .pid = by_time, .by_time = {}};
      if (by_time) rules.by_time = TimeStep("10");
      read_profile(path, rules, stacks);
    });
  return 0;
}
