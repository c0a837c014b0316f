// SPDX-License-Identifier: MIT
// A log of PyTorch's compiler as input of stackcollapse-trace --inductor.
#include "libcommon/import/compiled_code.h"
#include "tests/fuzz/imported.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks&) {
    CompiledCode code;
    code.read(path);
    if (code.with_lines() > code.kernels()) abort();
  });
  return 0;
}
