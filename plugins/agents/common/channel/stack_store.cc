/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/channel/stack_store.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "plugins/agents/common/channel/mappings.h"
#include "plugins/agents/common/channel/python_frames.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/python.h"

namespace aiflame::agent {
namespace {

uint32_t tid_of(const Launch& launch) {
  return launch.tid != 0 ? launch.tid : current_tid();
}

bool write_stack(agent_ring* to, const Launch& launch, uint64_t id, const uint64_t* frames,
                 uint32_t count, uint32_t flags, const Stack* appended) {
  const uint32_t appended_count = appended == nullptr ? 0 : appended->count;
  const uint32_t bytes =
      round_up(static_cast<uint32_t>(sizeof(agent_stack) + (size_t{count} + appended_count) * 8 +
                                     launch.kernel_name_bytes + launch.front_bytes));
  auto* stack = reserve_record<agent_stack>(to, bytes);
  if (stack == nullptr) return false;
  stack->id = id;
  stack->kernel_address = launch.kernel_address;
  stack->tid = tid_of(launch);
  stack->frame_count = count;
  stack->name_bytes = launch.kernel_name_bytes;
  stack->device = launch.device;
  stack->object = launch.object;
  stack->appended_count = appended_count;
  stack->front_bytes = launch.front_bytes;
  const ThreadRoom* room = launch.tid != 0 ? nullptr : thread_room();
  if (launch.tid != 0)
    std::memcpy(stack->comm, launch.comm, sizeof stack->comm);
  else if (room != nullptr)
    std::memcpy(stack->comm, room->comm, sizeof stack->comm);
  char* after = reinterpret_cast<char*>(stack + 1);
  const size_t frame_bytes = size_t{count} * 8;
  std::memcpy(after, frames, frame_bytes);
  after += frame_bytes;
  const size_t appended_bytes = size_t{appended_count} * 8;
  if (appended_count > 0) std::memcpy(after, appended->frames, appended_bytes);
  after += appended_bytes;
  std::memcpy(after, launch.kernel_name, launch.kernel_name_bytes);
  after += launch.kernel_name_bytes;
  if (launch.front_bytes > 0) std::memcpy(after, launch.front, launch.front_bytes);
  flags |= launch.stack_flags;
  if (appended != nullptr) flags |= appended->flags;
  publish(&stack->record, bytes, AGENT_STACK, static_cast<uint16_t>(flags));
  return true;
}

}  // namespace

void write_launch_stack(agent_ring* to, const Launch& launch, uint64_t id, const uint64_t* frames,
                        uint32_t count, uint32_t flags) {
  const int saved_errno = errno;
  report_unknown_python(to);
  // in a handler the recorder looks for itself
  if ((flags & kInHandler) == 0) report_maps(to, frames, count);
  if (write_stack(to, launch, id, frames, count, flags, nullptr))
    mark_known(known_stacks[id >> (64 - kKnownBits)], id, to);
  errno = saved_errno;
}

uint64_t store_stack(agent_ring* to, const Launch& launch, const Stack& stack,
                     const Stack* appended) {
  uint64_t id =
      mix(mix(tid_of(launch), stack.hash), launch.object + (uint64_t{launch.device} << 56));
  // by its bytes: a name stays where it is only while a launch of it is outstanding
  id = mix(id, hash_bytes(launch.kernel_name, launch.kernel_name_bytes));
  if (appended != nullptr) id = mix(id, appended->hash);
  if (launch.front_bytes > 0) id = mix(id, hash_bytes(launch.front, launch.front_bytes));
  if (is_known_stack(id)) return id;
  const int saved_errno = errno;
  const bool may_look = (stack.flags & kInHandler) == 0;
  if (may_look) look_for_python();
  report_unknown_python(to);
  if (may_look) report_maps(to, stack.frames, stack.count);
  if (may_look && appended != nullptr) report_maps(to, appended->frames, appended->count);
  if (appended != nullptr) report_kept_texts(to, *appended);
  if (write_stack(to, launch, id, stack.frames, stack.count, stack.flags, appended))
    mark_known(known_stacks[id >> (64 - kKnownBits)], id, to);
  errno = saved_errno;
  return id;
}

void forget_stacks() {
  forget_marks(known_stacks);
}

}  // namespace aiflame::agent
