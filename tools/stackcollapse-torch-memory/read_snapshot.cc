// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/read_snapshot.h"

#include "tools/stackcollapse-torch-memory/pickle_machine.h"
#include "tools/stackcollapse-torch-memory/replay.h"

namespace aiflame::torch_memory {

std::unique_ptr<Snapshot> read_snapshot(const std::string& path) {
  PickleBytes bytes(path);
  auto out = std::make_unique<Snapshot>();
  out->name = bytes.name();
  SnapshotBuilder builder(*out, bytes);
  PickleMachine machine(bytes, *out, builder);
  builder.finish(machine.run());
  out->first_time = first_time(*out);
  return out;
}

}  // namespace aiflame::torch_memory
