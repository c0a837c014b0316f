/* SPDX-License-Identifier: MIT
 *
 * roctx, AMD's ranges. A program links or opens libroctx64.so.4. A directory at the front of
 * LD_LIBRARY_PATH has this library under that name: it answers as AMD's does without a tool.
 */
#include <atomic>
#include <cstdint>

#include "plugins/agents/common/open_ranges.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

thread_local int level;  // of nested ranges
std::atomic<uint64_t> next_range{1};

}  // namespace

EXPORTED uint32_t roctx_version_major() {
  return 4;
}
EXPORTED uint32_t roctx_version_minor() {
  return 1;
}

EXPORTED int roctxRangePushA(const char* message) {
  aiflame::agent::push_range(message, aiflame::agent::RangeKind::roctx);
  return level++;
}

EXPORTED int roctxRangePop() {
  if (level == 0) return -1;
  aiflame::agent::pop_range();
  return --level;
}

// A mark has no length, and a range of start and stop no thread: neither is in a stack.
EXPORTED void roctxMarkA(const char* /*message*/) {}
EXPORTED uint64_t roctxRangeStartA(const char* /*message*/) {
  return next_range.fetch_add(1);
}
EXPORTED void roctxRangeStop(uint64_t /*range*/) {}
// A tracer of AMD's asks to be told: it is told nothing.
EXPORTED void roctxRegisterTracerCallback(int (* /*function*/)(uint32_t, uint32_t, void*)) {}

namespace {

[[gnu::constructor]] void begin() {
  aiflame::agent::begin_ranges();
}

}  // namespace
