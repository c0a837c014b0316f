// SPDX-License-Identifier: MIT
// Memory snapshots of PyTorch as input of stackcollapse-torch-memory.
#include "tests/fuzz/imported.h"
#include "tools/stackcollapse-torch-memory/draw.h"
#include "tools/stackcollapse-torch-memory/read_snapshot.h"

using namespace aiflame;
using namespace aiflame::torch_memory;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::import_bytes(data, size, [&](const std::string& path, ImportedStacks& stacks) {
    const std::unique_ptr<Snapshot> snapshot = read_snapshot(path);
    Settings settings;
    settings.rank = settings.devices = settings.pools = settings.streams = settings.phases = true;
    settings.by_time = TimeStep("0.001");
    for (const MemoryMoment moment :
         {MemoryMoment{}, MemoryMoment{MemoryMoment::Kind::end},
          MemoryMoment{MemoryMoment::Kind::oom}, MemoryMoment{MemoryMoment::Kind::event, 1},
          MemoryMoment{MemoryMoment::Kind::time, 0, 5}})
      for (const Content content : {Content::live, Content::allocated, Content::segments}) {
        settings.at = moment;
        settings.content = content;
        settings.native = content == Content::allocated;
        try {
          draw(*snapshot, 0, settings, stacks);
        } catch (const Error&) {
          // it has not what is asked for; what was added before is whole
        }
      }
  });
  return 0;
}
