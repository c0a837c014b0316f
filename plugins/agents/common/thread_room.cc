/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/thread_room.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aiflame::agent {
namespace {

// All rooms, of threads that are gone as well. Rooms are only ever added.
std::atomic<ThreadRoom*> rooms{nullptr};
// Where the next search for a free room begins; null = at the first.
std::atomic<ThreadRoom*> hand{nullptr};

bool is_gone(uint32_t thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

// The room of a thread that is gone. Only a few rooms are looked at each time, so that a program
// with many threads does not ask for all of them whenever one starts. Rooms of another generation
// are not free: that of the thread that forked is among them.
ThreadRoom* take_over(uint32_t thread, uint32_t generation) {
  constexpr int kLooks = 4;
  // acquire: another thread may have found the room, which whoever made it had filled in
  ThreadRoom* at = hand.load(std::memory_order_acquire);
  for (int look = 0; look < kLooks; ++look) {
    if (at == nullptr) at = rooms.load(std::memory_order_acquire);
    if (at == nullptr) return nullptr;
    uint32_t owner = at->owner.load(std::memory_order_relaxed);
    // its own number: that of a thread before it
    const bool is_free = at->generation.load() == generation && (owner == thread || is_gone(owner));
    if (is_free && at->owner.compare_exchange_strong(owner, thread)) {
      hand.store(at->next, std::memory_order_release);
      std::memset(static_cast<void*>(&at->walk), 0, sizeof at->walk);
      std::memset(at->kept, 0, sizeof at->kept);
      at->used = 0;
      return at;
    }
    at = at->next;
  }
  hand.store(at, std::memory_order_release);
  return nullptr;
}

ThreadRoom* map_room(uint32_t thread) {
  void* mapped = mmap(nullptr, sizeof(ThreadRoom), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* made = static_cast<ThreadRoom*>(mapped);
  made->owner.store(thread, std::memory_order_relaxed);
  return made;
}

void add_to_rooms(ThreadRoom* made) {
  made->next = rooms.load(std::memory_order_relaxed);
  while (!rooms.compare_exchange_weak(made->next, made, std::memory_order_release)) {
  }
}

}  // namespace

[[gnu::noinline]] ThreadRoom* find_room() {
  const int saved_errno = errno;
  const uint32_t generation = process_generation.load(std::memory_order_relaxed);
  const long thread = syscall(SYS_gettid);
  ThreadRoom* room = known_room;
  bool is_new = false;
  if (thread > 0 && room == nullptr) {
    room = take_over(static_cast<uint32_t>(thread), generation);
    is_new = room == nullptr;
    if (is_new) room = map_room(static_cast<uint32_t>(thread));
  }
  if (thread > 0 && room != nullptr) {
    room->owner.store(static_cast<uint32_t>(thread), std::memory_order_relaxed);
    prctl(PR_GET_NAME, room->comm);
    room->generation.store(generation);
    if (is_new) add_to_rooms(room);
    known_room = room;
  }
  errno = saved_errno;
  return thread > 0 ? room : nullptr;
}

}  // namespace aiflame::agent
