/* SPDX-License-Identifier: MIT
 *
 * Stacks are written once, under an id that is a hash of all of their content; launches and samples
 * name that id. This keeps the ids that the recorder has.
 */
#pragma once

#include <atomic>
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/hash.h"

namespace aiflame::agent {

// Direct-mapped: 65536 distinct (thread, kernel, stack) stay known. A displaced stack is written
// again.
constexpr unsigned kKnownBits = 16;
inline std::atomic<uint64_t> known_stacks[1 << kKnownBits];

inline bool is_known_stack(uint64_t id) {
  return is_marked(known_stacks[id >> (64 - kKnownBits)], id);
}

// Four lanes at once, as each step of one waits for the step before: otherwise a stack of 64 frames
// would take as long as walking it.
inline uint64_t hash_frames(const uint64_t* frames, uint32_t count) {
  constexpr uint32_t kLanes = 4;
  uint64_t lanes[kLanes] = {count, 1, 2, 3};
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = mix(lanes[lane], frames[i + lane]);
  for (; i < count; ++i) lanes[i % kLanes] = mix(lanes[i % kLanes], frames[i]);
  // mix() is symmetric: `lane` keeps equal lanes apart
  uint64_t hash = lanes[0];
  for (uint32_t lane = 1; lane < kLanes; ++lane) hash = mix(hash + lane, lanes[lane]);
  return hash;
}

// The id of a launch that is reported as it is made.
inline uint64_t stack_id(const Launch& launch, const uint64_t* frames, uint32_t count) {
  uint64_t id = mix(current_tid(), launch.kernel_address);
  id = mix(id, hash_frames(frames, count));
  id = mix(mix(id, launch.object + (uint64_t{launch.device} << 56)),
           hash_bytes(launch.kernel_name, launch.kernel_name_bytes));
  return launch.front_bytes > 0 ? mix(id, hash_bytes(launch.front, launch.front_bytes)) : id;
}

// Writes the stack of such a launch under `id`, and the records that name its frames.
void write_launch_stack(agent_ring* to, const Launch& launch, uint64_t id, const uint64_t* frames,
                        uint32_t count, uint32_t flags);

// The id of a launch that was made earlier, or by another thread; writes the stack unless the
// recorder has it. `appended`: where the kernel was put into a command list, or null.
uint64_t store_stack(agent_ring* to, const Launch& launch, const Stack& stack,
                     const Stack* appended);

// Forgets what was written: a new recorder knows no stacks.
void forget_stacks();

}  // namespace aiflame::agent
