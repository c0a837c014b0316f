// SPDX-License-Identifier: MIT
// PyTorch's names of the nodes of CUDA graphs as input of stackcollapse-trace --graph-names: JSON
// and pickles.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-trace/read/node_names.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks&) {
    trace::NodesNames names;
    trace::read_node_names(path, names);
  });
  return 0;
}
