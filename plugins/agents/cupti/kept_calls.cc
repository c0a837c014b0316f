/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/kept_calls.h"

#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::cupti {
namespace {

// Direct hashing with a few probes. A model of 100 layers has some thousand distinct captures.
constexpr uint32_t kMaxCalls = 1 << 15, kProbes = 16;
// A call takes 8 bytes a frame: this is room for 16384 stacks of 250 frames.
constexpr size_t kMaxBytes = size_t{32} << 20;
std::atomic<KeptCall*> calls[kMaxCalls];
std::atomic<size_t> bytes_kept{0};

size_t bytes_of(const Stack& stack) {
  return offsetof(Stack, frames) + stack.count * sizeof stack.frames[0];
}

void drop(KeptCall* call, size_t bytes) {
  std::free(call);
  bytes_kept.fetch_sub(bytes, std::memory_order_relaxed);
}

// Null without memory. The stack and the front follow the call in the same block of `bytes`.
KeptCall* copy(const Stack& stack, const char* front, uint32_t front_bytes, size_t bytes) {
  const size_t stack_bytes = bytes_of(stack);
  const bool has_room = bytes_kept.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxBytes;
  auto* made = has_room ? static_cast<KeptCall*>(std::malloc(bytes)) : nullptr;
  if (made == nullptr) {
    drop(nullptr, bytes);
    return nullptr;
  }
  char* after = reinterpret_cast<char*>(made + 1);
  std::memcpy(after, &stack, stack_bytes);
  made->stack = reinterpret_cast<const Stack*>(after);
  std::memcpy(after + stack_bytes, front, front_bytes);
  made->front = after + stack_bytes;
  made->front_bytes = front_bytes;
  made->tid = current_tid();
  prctl(PR_GET_NAME, made->comm);
  return made;
}

const KeptCall* keep(const Stack& stack, const char* front, uint32_t front_bytes) {
  const uint64_t key = mix(mix(stack.hash, current_tid()), hash_bytes(front, front_bytes));
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    std::atomic<KeptCall*>& slot = calls[(key + probe) % kMaxCalls];
    KeptCall* known = slot.load(std::memory_order_acquire);
    if (known != nullptr && known->key == key) return known;
    if (known != nullptr) continue;
    if ((stack.flags & kInHandler) != 0) return nullptr;
    const size_t bytes = sizeof(KeptCall) + bytes_of(stack) + front_bytes;
    KeptCall* made = copy(stack, front, front_bytes, bytes);
    if (made == nullptr) return nullptr;
    made->key = key;
    if (slot.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
    drop(made, bytes);
    if (known->key == key) return known;
  }
  return nullptr;
}

// Appends whole frames only. Returns the bytes in `text` then.
uint32_t append_frames(char* text, uint32_t used, const char* frames, uint32_t bytes) {
  while (bytes > 0) {
    const size_t symbol = strnlen(frames, bytes) + 1;
    const size_t object = symbol < bytes ? strnlen(frames + symbol, bytes - symbol) + 1 : bytes;
    const auto frame = static_cast<uint32_t>(symbol + object);
    if (frame > bytes || used + frame > AGENT_MAX_FRONT) break;
    std::memcpy(text + used, frames, frame);
    used += frame;
    frames += frame;
    bytes -= frame;
  }
  return used;
}

}  // namespace

const KeptCall* keep_graph_launch(const char* front, uint32_t front_bytes) {
  const OffStack<Stack> stack;
  if (!stack) return nullptr;
  take_stack(nullptr, *stack);
  return keep(*stack, front, front_bytes);
}

const KeptCall* keep_capture(const char* front, uint32_t front_bytes) {
  const OffStack<Stack> stack;
  if (!stack) return nullptr;
  take_kept_stack(nullptr, *stack);
  return keep(*stack, front, front_bytes);
}

Launch launch_of_call(const KeptCall& call, const char* name, uint32_t device) {
  Launch launch{};
  launch.kernel_name = name;
  launch.kernel_name_bytes = static_cast<uint32_t>(strnlen(name, AGENT_MAX_NAME));
  launch.front = call.front;
  launch.front_bytes = call.front_bytes;
  launch.tid = call.tid;
  launch.comm = call.comm;
  launch.device = device;
  launch.flags = AGENT_OUT_OF_ORDER;
  return launch;
}

Launch launch_of_graph(const KeptCall& graph, const KeptCall* captured, const char* kernel,
                       uint32_t device, uint64_t object, FrontText& front) {
  Launch launch = launch_of_call(graph, kernel == nullptr ? kUnknownKernel : kernel, device);
  // leaf first: the capture's, the mark between both, the launch's
  uint32_t used = 0;
  if (captured != nullptr)
    used = append_frames(front.text, used, captured->front, captured->front_bytes);
  if (used + sizeof kGraph > AGENT_MAX_FRONT) used = 0;  // the mark must be there
  used = append_frames(front.text, used, kGraph, sizeof kGraph);
  launch.front_bytes = append_frames(front.text, used, graph.front, graph.front_bytes);
  launch.front = front.text;
  launch.object = object;
  return launch;
}

}  // namespace aiflame::agent::cupti
