// SPDX-License-Identifier: MIT
// A malicious process writes any bytes into its agent's ring. They go through the recorder, and
// stackcollapse-aiflame must be able to read the resulting gpustall(5) to its end, with the same
// number of launches.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/fakes/agent_ring.h"
#include "tests/fuzz/collapse_file.h"
#include "tests/fuzz/memory_file.h"
#include "tools/gpustall-record/agents/agent_host.h"
#include "tools/gpustall-record/pipeline.h"

using namespace aiflame;
using namespace aiflame::record;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile recording;
  const std::string_view bytes(reinterpret_cast<const char*>(data), std::min<size_t>(size, 65536));
  constexpr uint64_t kOrigin = 1000000000, kSlice = 10000000;
  recording.set("");
  AgentHost host;
  fakes::AgentRing ring(host.address());
  if (!bytes.empty()) std::memcpy(ring.data(), bytes.data(), bytes.size());
  Output out(recording.path());
  // an agent may be the source of samples, which then have no time of their own
  const bool by_agent = size % 2 == 1;
  GpustallWriter writer(out);
  Budgets budgets;
  Pipeline pipeline(writer, "gpu-stall", kOrigin, by_agent ? 0 : kSlice, "/nonexistent", budgets);
  if (by_agent) pipeline.agents().accept_samples("fuzz");
  pipeline.begin({"clock : monotonic"});
  for (uint64_t now = kOrigin; now < kOrigin + 4 * kSlice; now += kSlice) {
    pipeline.set_time(now);
    host.drain(pipeline.agents());
    pipeline.write(now, false);
  }
  pipeline.write(kOrigin + 4 * kSlice, true);
  pipeline.end(0);
  out.close();
  if (!fuzz::collapse_file(recording.path(), fuzz::all_settings()).empty()) abort();
  return 0;
}
