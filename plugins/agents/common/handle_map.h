/* SPDX-License-Identifier: MIT
 *
 * Maps the program's handles to what the agent knows of them. Launching threads share it, so it has
 * 64 locks, each for some of its parts and held for a few instructions. Agents take all locks
 * around fork(2), so a child finds a map that is whole.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "plugins/agents/common/quick_lock.h"

namespace aiflame::agent {

class HandleMap {
  struct Node {
    const void* handle;
    void* value;
    Node* next;
  };

 public:
  // Holds the lock of the part that `handle` is in.
  class Locked {
   public:
    Locked(HandleMap& map, const void* handle) : map_(map), handle_(handle) {
      part_ = static_cast<size_t>(
          reinterpret_cast<uintptr_t>(handle) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - kBits));
      map_.locks_[part_ % kLocks].lock();
    }
    ~Locked() { map_.locks_[part_ % kLocks].unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

    // The handle's value, or null.
    void* value() const {
      Node* const* at = find();
      return *at == nullptr ? nullptr : (*at)->value;
    }
    // Returns the previous value. `kept` is false when there was no memory.
    void* set(void* value, bool& kept) {
      Node** at = find();
      kept = true;
      if (*at != nullptr) {
        void* before = (*at)->value;
        (*at)->value = value;
        return before;
      }
      auto* made = static_cast<Node*>(malloc(sizeof(Node)));
      kept = made != nullptr;
      if (kept) *made = Node{handle_, value, nullptr};
      if (kept) *at = made;
      return nullptr;
    }
    void* remove() {
      Node** at = find();
      if (*at == nullptr) return nullptr;
      Node* gone = *at;
      void* value = gone->value;
      *at = gone->next;
      free(gone);
      return value;
    }

   private:
    Node** find() const {
      Node** at = &map_.nodes_[part_];
      while (*at != nullptr && (*at)->handle != handle_) at = &(*at)->next;
      return at;
    }

    HandleMap& map_;
    const void* handle_;
    size_t part_;
  };

  // Calls `visit(handle, value)` for each handle, with its lock held.
  template <typename Visit>
  void for_each(Visit visit) {
    for (size_t i = 0; i < kLocks; ++i) {
      locks_[i].lock();
      for (size_t part = i; part < kParts; part += kLocks)
        for (Node* at = nodes_[part]; at != nullptr; at = at->next) visit(at->handle, at->value);
      locks_[i].unlock();
    }
  }

  void lock_all() {
    for (QuickLock& lock : locks_) lock.lock();
  }
  void unlock_all() {
    for (QuickLock& lock : locks_) lock.unlock();
  }

 private:
  // 32 KB of list heads: short lists for the ten thousand handles or so that programs have
  static constexpr unsigned kBits = 12;
  static constexpr size_t kParts = size_t{1} << kBits, kLocks = 64;

  QuickLock locks_[kLocks];
  Node* nodes_[kParts];
};

}  // namespace aiflame::agent
