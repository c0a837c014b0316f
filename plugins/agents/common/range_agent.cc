/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/range_agent.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/open_ranges.h"

namespace aiflame::agent {
namespace {

using Append = uint32_t (*)(char* out, uint32_t room);
std::atomic<Append> append_others{nullptr};

}  // namespace

void find_range_agent() {
  const char* path = std::getenv(AGENT_RANGES_ENVIRONMENT);
  if (path == nullptr || path[0] != '/') return;
  // it may be here already, for ITT or roctx; it stays
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  append_others.store(reinterpret_cast<Append>(dlsym(library, AGENT_OPEN_RANGES)),
                      std::memory_order_release);
}

// A call without room tells whether there are any.
bool has_any_open_ranges() {
  if (has_open_ranges()) return true;
  const Append others = append_others.load(std::memory_order_acquire);
  return others != nullptr && others(nullptr, 0) > 0;
}

uint32_t append_all_open_ranges(char* out, uint32_t room) {
  const uint32_t own = append_open_ranges(out, room);
  const Append others = append_others.load(std::memory_order_acquire);
  return others == nullptr ? own : own + others(out + own, room - own);
}

uint32_t write_range_front(const char* api_function, const char* object, FrontText& front) {
  uint32_t used = 0;
  for (const char* part : {api_function, object}) {
    const auto bytes = static_cast<uint32_t>(std::strlen(part) + 1);
    std::memcpy(front.text + used, part, bytes);
    used += bytes;
  }
  return used + append_all_open_ranges(front.text + used, sizeof front.text - used);
}

}  // namespace aiflame::agent
