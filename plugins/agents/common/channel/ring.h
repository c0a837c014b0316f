/* SPDX-License-Identifier: MIT
 *
 * The writer's side of the ring in plugins/abi/agent_channel.h, which has the layout.
 *
 * The ring has many producers, all threads of the profiled process, and one consumer, the recorder.
 * Nobody takes a lock, and nobody waits. A producer works in three steps:
 *
 *   1. reserve()  moves `head` by the size of the record with a compare-and-swap. From then on
 *                 these bytes belong to this thread alone. The first store to them may happen at
 *                 once: the recorder zeroed them before it moved `tail` past them.
 *   2. the caller fills in the record, except for its first word.
 *   3. publish()  stores the type and, last and with release, the size. A record whose size is 0
 *                 is not written yet.
 *
 * Ordering. Records lie in the order of their reservations, not of their publications. The recorder
 * reads from `tail` on and stops at the first size of 0, so a thread that is descheduled between
 * steps 1 and 3 holds back the reading of the records after its own, but nobody's writing.
 * A stack must be read before a launch that names it. Within a thread it is, as the stack is
 * reserved first. Between threads it is too: a stack enters the table of known stacks
 * (stack_store.h) after it was published, so a thread that finds it there reserves its launch
 * further on.
 *
 * Memory order. x86-64 shows stores in their order and makes each exchange a barrier. AArch64 may
 * show them in any order that the program does not forbid. So each order is the weakest that is
 * right for both machines, with its reason, in `order` below; on x86-64 none of them costs an
 * instruction. The unit test ring_order_test.cc runs the steps of this protocol in every order that
 * these constants leave open, and shows that they are needed. Other counters and flags of
 * the channel are relaxed where nothing but their own value is read: `ended`, `ends_owed` and the
 * counts of losses. What a thread has written when its process ends, the recorder sees: the
 * kernel's report of that end is a barrier.
 *
 * The data is mapped twice in a row, so a record is always contiguous, and its place is simply head
 * modulo the capacity.
 *
 * A full ring. reserve() returns null when the record does not fit. It is then dropped:
 *   a launch         counted in `lost_launches` of the ring
 *   a sample         counted in `lost_samples` of the ring
 *   a stack          not marked as known, so that its next launch writes it again
 *   a mapping        the recorder looks into /proc/PID/maps for what is missing
 *   other records    their functions say what happens
 * An end of a launch that the recorder knows must not be dropped, because that launch would run for
 * ever. So `ends_owed` counts the launches without an end, and every other record leaves room for
 * that many ends (room_for_ends()).
 *
 * A recorder that is stopped would make every launch fail here after all the work of its stack.
 * loss.h has the switch that turns such launches away early.
 *
 * fork(2). The child inherits the mapping of its parent's ring and must not write to it.
 * begin_report() of channel.h notices the fork and connects anew, before anything is written.
 *
 * Another recorder. Where recorders come and go (awaited_recorder.h), each gets a ring of its own.
 * That of the one before stays mapped, for threads that are about to write to it; nobody reads
 * that.
 *
 * All of it is inline, in one header: a launch reserves and publishes without a call.
 */
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

namespace order {

// The size of a record is stored after the record. The recorder loads it with acquire, and reads
// the record after that.
constexpr auto kPublish = std::memory_order_release;
// The recorder zeroes what it has taken, then stores the tail with release. A record is filled in
// after the tail was seen to have moved.
constexpr auto kTail = std::memory_order_acquire;
// Only producers read the head, and what matters is which of two reservations was first. A thread
// that must come second knows that from a table (kKnown).
constexpr auto kHead = std::memory_order_relaxed;
// What a table says to be known was reserved before that and published. And its ring is looked at
// after that: see mark_known().
constexpr auto kMark = std::memory_order_acq_rel;
// Whoever finds it there reserves after that.
constexpr auto kKnown = std::memory_order_acquire;
// The table is emptied after the ring was taken away. Whoever marks something after that sees that
// the ring is gone.
constexpr auto kForget = std::memory_order_release;

}  // namespace order

// Null when nobody listens.
inline std::atomic<agent_ring*> ring{nullptr};

// Notes in a slot of a table that the recorder at the other end of `to` has `id`. If another one
// has come since, whose channel forgot the table, it has not. Either the forgetting comes later, or
// the ring is seen here to be another one.
inline void mark_known(std::atomic<uint64_t>& slot, uint64_t id, const agent_ring* to) {
  slot.exchange(id, order::kMark);
  if (ring.load(std::memory_order_relaxed) != to) slot.store(0, order::kForget);
}

// Whether a table says that the recorder has `id`.
inline bool is_marked(const std::atomic<uint64_t>& slot, uint64_t id) {
  return slot.load(order::kKnown) == id;
}

// A new recorder has nothing of what a table says.
template <size_t size>
void forget_marks(std::atomic<uint64_t> (&table)[size]) {
  for (auto& slot : table) slot.store(0, order::kForget);
}

// Launches whose end is still to be written.
inline std::atomic<int64_t> ends_owed{0};

inline uint64_t load_tail(agent_ring& of) {
  return std::atomic_ref<uint64_t>(of.tail).load(order::kTail);
}

// Whether the recorder has stopped reading for good. A load from a line that nobody else writes to.
inline bool has_ended(agent_ring& of) {
  return std::atomic_ref<uint64_t>(of.ended).load(std::memory_order_relaxed) != 0;
}

// Whether the recorder waits for what is held back.
inline bool is_closing(agent_ring& of) {
  return std::atomic_ref<uint64_t>(of.closing).load(std::memory_order_relaxed) != 0;
}

// The ring while it is read, else null.
inline agent_ring* ring_to_write() {
  agent_ring* to = ring.load(std::memory_order_acquire);
  return to == nullptr || has_ended(*to) ? nullptr : to;
}

// What records other than ends leave free: room for the ends that are owed, and for those of as
// many launches as threads may be making right now.
inline uint64_t room_for_ends() {
  constexpr int64_t kThreads = 256;
  const int64_t owed = ends_owed.load(std::memory_order_relaxed);
  return static_cast<uint64_t>((owed > 0 ? owed : 0) + kThreads) * sizeof(agent_done);
}

// Reserves a record of `bytes` (a multiple of 8), where `more` bytes fit as well. Null when the
// ring is full.
inline agent_record* reserve(agent_ring* to, uint32_t bytes, uint64_t more) {
  std::atomic_ref<uint64_t> head(to->head);
  uint64_t at = head.load(order::kHead);
  do {
    // Signed: since `at` was read, other threads may have written and the recorder may have read
    // on, so that the tail is past it. The exchange fails then.
    if (static_cast<int64_t>(at + bytes + more - load_tail(*to)) > int64_t{AGENT_CAPACITY})
      return nullptr;
  } while (!head.compare_exchange_weak(at, at + bytes, order::kHead));
  char* data = reinterpret_cast<char*>(to) + AGENT_HEADER_BYTES;
  return reinterpret_cast<agent_record*>(data + at % AGENT_CAPACITY);
}

// The same for a record that is not an end. Null without a ring as well.
template <typename Record>
Record* reserve_record(agent_ring* to, uint32_t bytes = sizeof(Record)) {
  if (to == nullptr) return nullptr;
  return reinterpret_cast<Record*>(reserve(to, bytes, room_for_ends()));
}

inline void publish(agent_record* record, uint32_t bytes, uint16_t type, uint16_t flags) {
  record->type = type;
  record->flags = flags;
  std::atomic_ref<uint32_t>(record->bytes).store(bytes, order::kPublish);
}

// The size of a record is a multiple of 8.
constexpr uint32_t round_up(uint32_t bytes) {
  return (bytes + 7) & ~7u;
}

}  // namespace aiflame::agent
