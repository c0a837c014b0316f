/* SPDX-License-Identifier: MIT
 *
 * What an agent keeps for a thread that launches, and where it works.
 *
 * A launch may be made from a coroutine with a stack of some kilobytes, or from a signal's handler
 * on an alternate stack. So whatever is large is off the program's stack, in memory of the agent's
 * own: OffStack<T> takes the place of a local variable. (Changing to a stack of the agent's own
 * would be less work, but not safe: while a handler runs on the alternate stack, the kernel would
 * take that stack for free, and start the next handler on top of it.)
 *
 * The room is mapped when the thread first launches, so that nothing is allocated here: the launch
 * may interrupt malloc(3). For the same reason agents are compiled with -ftls-model=initial-exec:
 * the first use of any other thread-local variable of a library allocates it. A room outlives its
 * thread, and a later thread takes it over.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "plugins/agents/common/unwind/last_walk.h"
#include "plugins/agents/common/unwind/stack_memory.h"

namespace aiflame::agent {

// Counts forks: a value kept under another count is the parent's.
inline std::atomic<uint32_t> process_generation{1};

// What a thread keeps between walks.
struct WalkState {
  StackMemory memory;  // of its own stack
  LastWalk last;
  // during a walk: the handler of a signal that launches must leave the state alone
  bool is_in_use;
};

struct ThreadRoom {
  std::atomic<uint32_t> owner;       // the thread's number
  std::atomic<uint32_t> generation;  // process_generation when that was asked
  char comm[16];                     // the thread's name then
  ThreadRoom* next;
  WalkState walk;
  // zero when the thread begins, for what else the agent keeps
  static constexpr size_t kKept = 4096;
  alignas(16) char kept[kKept];
  // of OffStack: a launch takes 7 KB, from Python 25 KB. There is room for launches in handlers
  // that interrupt launches.
  static constexpr size_t kScratch = size_t{96} << 10;
  uint32_t used;
  alignas(16) char scratch[kScratch];
};

inline thread_local ThreadRoom* known_room = nullptr;

// The calling thread's room, by system calls: it is new, or it is a forked child. Null without
// memory.
ThreadRoom* find_room();

inline ThreadRoom* thread_room() {
  ThreadRoom* room = known_room;
  if (room == nullptr || room->generation.load(std::memory_order_relaxed) !=
                             process_generation.load(std::memory_order_relaxed)) [[unlikely]]
    return find_room();
  return room;
}

// A local variable that is not on the stack. It is not initialised beyond what its constructor
// does, and false where there is no room for it.
template <typename T>
class OffStack {
 public:
  OffStack() : room_(thread_room()) {
    constexpr uint32_t kBytes = (sizeof(T) + 15) & ~size_t{15};
    if (room_ == nullptr || room_->used + kBytes > ThreadRoom::kScratch) return;
    at_ = room_->used;
    room_->used = at_ + kBytes;
    // a handler that comes after this leaves it alone, and gives back what it takes
    std::atomic_signal_fence(std::memory_order_seq_cst);
    value_ = new (room_->scratch + at_) T;
  }
  ~OffStack() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (value_ != nullptr) room_->used = at_;
  }
  OffStack(const OffStack&) = delete;
  OffStack& operator=(const OffStack&) = delete;

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  ThreadRoom* room_;
  T* value_ = nullptr;
  uint32_t at_ = 0;
};

}  // namespace aiflame::agent
