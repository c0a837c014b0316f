// SPDX-License-Identifier: MIT
// An SQLite file as input of stackcollapse-nsys.
#include "tests/fuzz/imported.h"
#include "tests/fuzz/temporary_file.h"
#include "tools/stackcollapse-nsys/read_export.h"

using namespace aiflame;
using namespace aiflame::nsys;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::TemporaryFile file;
  file.set(data, size);
  for (const int way : {0, 1, 2})
    fuzz::import_bytes(data, size, [&](const std::string&, ImportedStacks& stacks) {
      Settings settings;
      settings.cpu = way == 1;
      settings.rank = true;
      settings.streams = way != 1;
      if (way == 2) settings.timeline = {.idle = true, .outside = true, .exposed = true};
      uint64_t rank = 0;
      read_export(file.path(), settings, stacks, rank);
    });
  return 0;
}
