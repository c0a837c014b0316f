/* SPDX-License-Identifier: MIT
 *
 * The launch path. A launch whose stack the recorder has costs the walk, the hash of its frames and
 * 48 bytes in the ring; everything else is out of line. All that it uses is inline in the headers
 * of this room, but for the walk itself.
 */
#include "plugins/agents/common/channel/launches.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/instances.h"
#include "plugins/agents/common/channel/loss.h"
#include "plugins/agents/common/channel/python_frames.h"
#include "plugins/agents/common/channel/ring.h"
#include "plugins/agents/common/channel/size_store.h"
#include "plugins/agents/common/channel/stack_store.h"
#include "plugins/agents/common/channel/walk.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/python.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent {
namespace {

// `stack_flags` are those of its stack.
Launched write_launch(agent_ring* to, const Launch& launch, uint64_t id, uint32_t stack_flags) {
  const bool in_handler = (stack_flags & kInHandler) != 0;
  const bool is_timed = !in_handler && (launch.flags & AGENT_UNTIMED) == 0;
  const uint64_t size = report_size(to, launch.size);
  if (is_timed) ends_owed.fetch_add(1, std::memory_order_relaxed);
  auto* record = reserve_record<agent_launch>(to);
  if (record == nullptr) {
    if (is_timed) ends_owed.fetch_sub(1, std::memory_order_relaxed);
    count_loss(*to);
    return {};
  }
  end_losses();
  const uint64_t instance = next_instance();
  record->id = id;
  record->size = size;
  record->instance = instance;
  const uint64_t now = launch.time != 0 ? launch.time : monotonic_ns();
  record->time = now;
  record->queue = launch.queue;
  publish(&record->record, sizeof(agent_launch), AGENT_LAUNCH,
          static_cast<uint16_t>(launch.flags | (is_timed ? 0 : AGENT_UNTIMED)));
  return {instance, now, id, size, in_handler};
}

// A stack that the recorder has.
struct Reported {
  uint64_t id;
  uint32_t flags;
};

// As set_not_walked() of walk.h: there is no room for a Stack either.
[[gnu::noinline]] Reported report_without_walk(agent_ring* to, const Launch& launch) {
  const auto frame = reinterpret_cast<uint64_t>(launch.api_function);
  const uint64_t id = stack_id(launch, &frame, 1);
  if (!is_known_stack(id)) write_launch_stack(to, launch, id, &frame, 1, kNotWalked);
  return {id, kNotWalked};
}

[[gnu::noinline]] Reported report_python_stack(agent_ring* to, const Launch& launch) {
  const OffStack<Stack> stack;
  if (!stack) return report_without_walk(to, launch);
  take_python_stack(to, launch.api_function, *stack);
  const uint64_t id = stack_id(launch, stack->frames, stack->count);
  if (!is_known_stack(id))
    write_launch_stack(to, launch, id, stack->frames, stack->count, stack->flags);
  return {id, stack->flags};
}

// Whether the program has loaded an interpreter since the last look. `flags` are of a stack.
bool found_python(uint32_t flags) {
  if ((flags & kInHandler) != 0) return false;
  const int saved_errno = errno;
  const bool found = look_for_python();
  errno = saved_errno;
  return found && python_state() == PythonState::known;
}

// The stack of the calling thread.
inline Reported report_own_stack(agent_ring* to, const Launch& launch) {
  if (python_state() == PythonState::known) return report_python_stack(to, launch);
  const OffStack<Walk> walk;
  if (!walk) return report_without_walk(to, launch);
  walk->take(launch.api_function, nullptr);
  const uint64_t id = stack_id(launch, walk->frames(), walk->count());
  if (!is_known_stack(id)) {
    if (found_python(walk->flags())) return report_python_stack(to, launch);
    write_launch_stack(to, launch, id, walk->frames(), walk->count(), walk->flags());
  }
  return {id, walk->flags()};
}

// The recorder tells such a stack by its flag; the name is for what asks each stack for a kernel.
constexpr char kCallName[] = "[call]";

Call report_call(const Launch& call) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {};
  const uint64_t stack = report_stack_here(to, call);
  return {stack, monotonic_ns()};
}

Launch call_of(const void* api_function) {
  Launch call{};
  call.kernel_name = kCallName;
  call.kernel_name_bytes = sizeof kCallName - 1;
  call.api_function = api_function;
  call.stack_flags = AGENT_API_CALL;
  return call;
}

// `to` is for take_python_stack().
void take(agent_ring* to, const void* api_function, bool with_python, Stack& out) {
  if (with_python) {
    take_python_stack(to, api_function, out);
  } else if (const OffStack<Walk> walk; walk) {
    walk->take(api_function, nullptr);
    out.count = walk->count();
    out.flags = walk->flags();
    std::memcpy(out.frames, walk->frames(), size_t{out.count} * sizeof(uint64_t));
  } else {
    set_not_walked(api_function, out);
  }
  out.hash = hash_frames(out.frames, out.count);
}

// False when the ring is full.
bool write_launches(agent_ring* to, uint64_t id, uint64_t size, uint64_t time, uint64_t count,
                    uint16_t flags) {
  auto* record = reserve_record<agent_launches>(to);
  if (record == nullptr) return false;
  record->id = id;
  record->size = size;
  record->time = time;
  record->count = count;
  publish(&record->record, sizeof(agent_launches), AGENT_LAUNCHES, flags);
  return true;
}

}  // namespace

uint64_t report_stack_here(agent_ring* to, const Launch& call) {
  return report_own_stack(to, call).id;
}

Launched report_launch(const Launch& launch) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {};
  const Reported stack = report_own_stack(to, launch);
  return write_launch(to, launch, stack.id, stack.flags);
}

void retract_launch(const Launched& launched) {
  agent_ring* to = ring_to_write();
  if (launched.instance != 0)
    write_launches(to, launched.stack, launched.size, launched.time, 1, AGENT_FAILED);
}

void take_stack(const void* api_function, Stack& out) {
  agent_ring* to = ring_to_write();
  take(to, api_function, to != nullptr && python_state() == PythonState::known, out);
}

void take_kept_stack(const void* api_function, Stack& out) {
  take(nullptr, api_function, python_state() == PythonState::known, out);
  if (found_python(out.flags)) take(nullptr, api_function, true, out);
}

void take_launch_stack(Stack& out) {
  take_stack(nullptr, out);
  if (found_python(out.flags)) take_stack(nullptr, out);
}

Launched report_launch_of(const Launch& launch, const Stack& stack) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {};
  const uint64_t id = stack_id(launch, stack.frames, stack.count);
  if (!is_known_stack(id))
    write_launch_stack(to, launch, id, stack.frames, stack.count, stack.flags);
  return write_launch(to, launch, id, stack.flags);
}

uint64_t report_stack(const Launch& launch, const Stack& stack) {
  agent_ring* to = ring_to_write();
  return to == nullptr ? 0 : store_stack(to, launch, stack, nullptr);
}

void report_launches(const Launch& launch, const Stack& stack, const Stack* appended,
                     uint64_t count, uint64_t time, bool failed) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return;
  const uint64_t id = store_stack(to, launch, stack, appended);
  const uint64_t size = report_size(to, launch.size);
  if (write_launches(to, id, size, time, count, failed ? AGENT_FAILED : 0))
    end_losses();
  else if (!failed)
    count_loss(*to, count);
}

Launched report_launch_at(const Launch& launch, const Stack& stack, const Stack* appended) {
  agent_ring* to = ring_to_write();
  if (to == nullptr) return {};
  return write_launch(to, launch, store_stack(to, launch, stack, appended), stack.flags);
}

void count_lost_launches(uint64_t launches) {
  agent_ring* to = ring_to_write();
  if (to != nullptr)
    add_lost_launches(*to, launches);
  else
    add_lost_without_ring(launches);
}

Call begin_call(const void* api_function) {
  return report_call(call_of(api_function));
}

Call begin_call(const char* front, uint32_t front_bytes) {
  Launch call = call_of(nullptr);
  call.front = front;
  call.front_bytes = front_bytes;
  return report_call(call);
}

void end_call(const Call& call, bool waited) {
  agent_ring* to = ring_to_write();
  if (to == nullptr || call.stack == 0) return;
  auto* record = reserve_record<agent_call>(to);
  if (record == nullptr) {
    add_lost_calls(*to, 1);
    return;
  }
  end_losses();
  record->id = call.stack;
  record->begin = call.begin;
  record->end = monotonic_ns();
  publish(&record->record, sizeof *record, AGENT_CALL, waited ? AGENT_WAITED : 0);
}

void report_done(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags, uint64_t returned,
                 uint64_t stack) {
  agent_ring* to = ring_to_write();
  if (to == nullptr || is_of_earlier_recorder(instance)) return;
  ends_owed.fetch_sub(1, std::memory_order_relaxed);
  auto* record = reinterpret_cast<agent_done*>(reserve(to, sizeof(agent_done), 0));
  // never: there is room for each end. The launch is in the ring, so it is not lost.
  if (record == nullptr) return;
  record->instance = instance;
  record->begin = begin;
  record->end = end;
  record->returned = returned;
  record->stack = stack;
  publish(&record->record, sizeof(agent_done), AGENT_DONE, flags);
}

}  // namespace aiflame::agent
