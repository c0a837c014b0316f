// SPDX-License-Identifier: MIT
// A memory snapshot of PyTorch, as plain data: what torch.cuda.memory._snapshot() returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/memory/growing_array.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-torch-memory/entry_log.h"
#include "tools/stackcollapse-torch-memory/words.h"

namespace aiflame::torch_memory {

// A function at a line of a file. Texts of Snapshot.
struct Frame {
  uint32_t name, file, line;
  bool operator==(const Frame&) const = default;
};

// A number of 64 bits as a key.
struct WideNumber {
  uint32_t low, high;
  bool operator==(const WideNumber&) const = default;

  static WideNumber of(uint64_t number) {
    return {static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)};
  }
  uint64_t number() const { return uint64_t{high} << 32 | low; }
};

// A pool of memory: (0, 0) is the default one, others are of CUDA graphs and torch.cuda.MemPool.
struct Pool {
  WideNumber first, second;
  bool operator==(const Pool&) const = default;
};

// What entries share besides their stack. Texts are 0 (a key, and so no value) where there is none.
struct Group {
  uint32_t stream;      // number of Snapshot::streams; kUnknown: not told
  uint32_t pool;        // number of Snapshot::pools; kUnknown: not told
  uint32_t annotation;  // user_metadata
  uint32_t category;
  bool operator==(const Group&) const = default;
};
inline constexpr uint32_t kUnknown = UINT32_MAX;

enum class BlockState : uint8_t { active, pending_free, inactive };

struct Block {
  std::optional<uint64_t> address;  // old snapshots tell none: blocks lie side by side
  uint64_t size = 0;
  uint64_t requested = 0;
  uint32_t stack = 0, category = 0;
  BlockState state = BlockState::inactive;
};

struct Segment {
  uint64_t device = 0, address = 0, size = 0;
  uint32_t stream = kUnknown, pool = kUnknown;
  std::vector<EntryRun> blocks;  // of Snapshot::blocks
};

// The beginning or end of a phase: {'stage': 'START', 'name': 'Optimizer.step#AdamW.step', …}
struct Annotation {
  uint64_t device = 0, time = 0;  // microseconds
  uint32_t name = 0;              // a text
  bool begins = false;
};

struct Snapshot {
  // Real machines have 16 devices at most.
  static constexpr size_t kMostDevices = 1024;
  static constexpr uint32_t kNoStack = 0;  // of `stacks`: the empty one

  Snapshot() {
    for (const std::string_view word : kWordTexts) texts.number(word);
    stacks.number(nullptr, 0);
  }

  std::string name;  // of the file, for messages
  TextTable texts;
  NumberedTable<Frame> frames;
  ListTable stacks;  // frames, innermost first
  NumberedTable<WideNumber> streams;
  NumberedTable<Pool> pools;
  NumberedTable<Group> groups;
  EntryLog log;
  std::vector<std::vector<EntryRun>> traces;  // by device
  std::vector<Block> blocks;
  std::vector<Segment> segments;
  std::vector<Annotation> annotations;
  std::optional<uint64_t> first_time;  // of all entries, in microseconds; 0: none has a time
  bool overflowed = false;             // older entries were overwritten
  uint64_t unknown_actions = 0;        // entries
  uint64_t host_entries = 0;           // of pinned memory of the host, which is not read
  uint64_t host_segments = 0;
};

}  // namespace aiflame::torch_memory
