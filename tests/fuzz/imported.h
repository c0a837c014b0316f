// SPDX-License-Identifier: MIT
// Bytes as the input of an importer: it reads them, so that the sums are right, or refuses them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/import/imported_stacks.h"
#include "tests/fuzz/memory_file.h"

namespace aiflame::fuzz {

// Read: void(path, stacks)
template <typename Read>
void import_bytes(const uint8_t* data, size_t size, Read read) {
  static MemoryFile file;
  file.set(std::string_view(reinterpret_cast<const char*>(data), size));
  ImportedStacks stacks;
  stacks.quantity = {.event = "gpu-stall", .unit = "stalls"};
  try {
    read(file.path(), stacks);
  } catch (const Error&) {
    return;
  }
  try {
    Output out("/dev/null");
    stacks.write(out);
    out.close();
  } catch (const Error&) {
    abort();
  }
  if (stacks.line().empty() || stacks.json().empty()) abort();
}

}  // namespace aiflame::fuzz
