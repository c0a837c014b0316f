// SPDX-License-Identifier: MIT
// The entries of device_traces, some 10 bytes each, so that a snapshot of gigabytes can be gone
// through several times.
//
// An entry is an action and variable-length numbers; an address is the difference to the one
// before, as is a time. Every 64 entries that begins anew, so that reading may begin there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/memory/growing_array.h"

namespace aiflame::torch_memory {

enum class Action : uint8_t {
  other,  // has no effect on what is allocated
  alloc,
  free_completed,
  segment_add,
  segment_remove,
  out_of_memory,  // `size` was asked for, `address` is what the device had free
  annotate,       // `group` has a new annotation for the block at `address`
};

struct Entry {
  Action action = Action::other;
  uint64_t address = 0, size = 0;
  uint64_t time = 0;   // microseconds; 0: unknown
  uint32_t stack = 0;  // as in Snapshot
  uint32_t group = 0;
};

class EntryLog {
 public:
  // Returns the number of the entry, from 0.
  uint32_t add(const Entry& entry);
  uint32_t size() const { return size_; }

  // Reads entries in their order.
  class Reader {
   public:
    Reader(const EntryLog& log, uint32_t first);
    Entry next();

   private:
    uint64_t number();
    void begin_block();

    const EntryLog& log_;
    uint32_t next_ = 0;
    size_t at_ = 0;
    uint64_t address_ = 0, time_ = 0;
  };

 private:
  static constexpr uint32_t kBlock = 64;
  void put(uint64_t number);

  GrowingArray<uint8_t> bytes_;
  GrowingArray<uint64_t> blocks_;  // where every 64th entry begins
  uint32_t size_ = 0;
  uint64_t address_ = 0, time_ = 0;
};

// Entries that follow each other in the log.
struct EntryRun {
  uint32_t first = 0, count = 0;
};

}  // namespace aiflame::torch_memory
