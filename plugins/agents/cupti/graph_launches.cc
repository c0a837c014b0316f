/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/graph_launches.h"

#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::cupti {
namespace {

constexpr uint32_t kMaxGraphLaunches = 4096;
std::atomic<GraphLaunch*> graph_launches[kMaxGraphLaunches];

}  // namespace

const GraphLaunch* keep_graph_launch(const char* front, uint32_t front_bytes) {
  const OffStack<Stack> taken;
  if (!taken) return nullptr;
  const Stack& stack = *taken;
  take_stack(nullptr, *taken);
  const uint64_t key = mix(mix(stack.hash, current_tid()), hash_bytes(front, front_bytes));
  for (uint32_t probe = 0; probe < 16; ++probe) {
    std::atomic<GraphLaunch*>& slot = graph_launches[(key + probe) % kMaxGraphLaunches];
    GraphLaunch* known = slot.load(std::memory_order_acquire);
    if (known != nullptr && known->key == key) return known;
    if (known != nullptr) continue;
    if ((stack.flags & kInHandler) != 0) return nullptr;
    auto* made = static_cast<GraphLaunch*>(std::calloc(1, sizeof(GraphLaunch)));
    const size_t bytes = offsetof(Stack, frames) + stack.count * sizeof stack.frames[0];
    if (made != nullptr) made->stack = static_cast<Stack*>(std::malloc(bytes));
    if (made == nullptr || made->stack == nullptr) {
      std::free(made);
      return nullptr;
    }
    std::memcpy(made->stack, &stack, bytes);
    made->key = key;
    made->tid = current_tid();
    prctl(PR_GET_NAME, made->comm);
    // between the kernel and the API function
    uint32_t room = AGENT_MAX_FRONT - sizeof kGraph;
    std::memcpy(made->front, kGraph, sizeof kGraph);
    if (front_bytes < room) room = front_bytes;
    std::memcpy(made->front + sizeof kGraph, front, room);
    made->front_bytes = sizeof kGraph + room;
    if (slot.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
    std::free(made->stack);
    std::free(made);
    if (known->key == key) return known;
  }
  return nullptr;
}

Launch launch_of_graph(const GraphLaunch& graph, const char* kernel, uint32_t device,
                       uint64_t object) {
  Launch launch{};
  launch.kernel_name = kernel == nullptr ? kUnknownKernel : kernel;
  launch.kernel_name_bytes = static_cast<uint32_t>(strnlen(launch.kernel_name, AGENT_MAX_NAME));
  launch.front = graph.front;
  launch.front_bytes = graph.front_bytes;
  launch.tid = graph.tid;
  launch.comm = graph.comm;
  launch.device = device;
  launch.object = object;
  launch.flags = AGENT_OUT_OF_ORDER;
  return launch;
}

}  // namespace aiflame::agent::cupti
