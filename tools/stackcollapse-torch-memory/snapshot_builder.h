// SPDX-License-Identifier: MIT
// Turns the dictionaries and lists of a pickle into the records of a snapshot, each as soon as it
// is whole. So of the pickle itself nothing is kept.
//
// What a dictionary is, its keys tell: one with `action` is an entry, one with `filename` a frame.
// Keys that are not known are passed over, and so are values without a use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/stackcollapse-torch-memory/pickle_bytes.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

// A value on the pickle's stack.
struct Value {
  enum class Kind : uint8_t {
    mark,
    none,
    other,    // without a use
    boolean,  // `number`: 0, 1
    integer,  // `number`; `id` is 1 if it is negative
    text,     // `id` of Snapshot::texts
    // Containers that may still be filled. `number`: one more than their place in the memo.
    new_dict,
    new_list,
    open_list,  // `id` of the builder's lists that are being filled
    // What a dictionary has become.
    frame,
    entry,
    block,
    segment,
    old_block,  // of `history`
    annotation,
    snapshot,
    // What a list has become.
    empty_list,
    stack,
    entries,
    blocks,
    segments,
    traces,
    old_blocks,  // `id` of the first one
    annotations,
    pool,  // a pair of numbers
  };
  Kind kind = Kind::none;
  uint32_t id = 0;
  uint64_t number = 0;
};

class SnapshotBuilder {
 public:
  SnapshotBuilder(Snapshot& snapshot, const PickleBytes& bytes)
      : snapshot_(snapshot), bytes_(bytes) {}

  // ---- a dictionary: set() for each key, then end_dict() ----
  void set(Value key, Value value) {
    if (key.kind != Value::Kind::text || key.id >= kKeys) return;
    values_[key.id] = value;
    given_ |= uint64_t{1} << key.id;
  }
  Value end_dict();

  // ---- lists: any number may be open ----
  Value begin_list();
  void append(uint32_t list, Value item);
  Value end_list(uint32_t list);

  Value pair(Value first, Value second);

  // The value at the end of the pickle.
  void finish(Value value);

 private:
  struct List {
    Value::Kind item = Value::Kind::none;  // of all items; `other` if they differ
    std::vector<uint32_t> ids;
    std::vector<EntryRun> runs;
  };

  bool has(Word key) const { return (given_ >> key & 1) != 0; }
  uint64_t number(Word key, uint64_t otherwise) const;
  uint64_t number(Word key) const;
  uint32_t text(Word key) const;
  uint32_t line() const;
  uint32_t frames_of(Word key) const;
  uint32_t stream() const;
  uint32_t pool(Word key) const;
  [[noreturn]] void fail(Word key, const char* what) const;
  Value end_entry();
  Value end_frame();
  Value end_block();
  Value end_old_block();
  Value end_segment();
  Value end_annotation();
  Value end_snapshot();
  void use_segments(const std::vector<uint32_t>& ids);

  Snapshot& snapshot_;
  const PickleBytes& bytes_;
  Value values_[kKeys];
  uint64_t given_ = 0;  // bits of the keys
  std::vector<List> open_;
  std::vector<uint32_t> free_;  // of `open_`
  // Of lists that have ended. What another record takes is gone here.
  std::vector<std::vector<EntryRun>> runs_;
  std::vector<std::vector<uint32_t>> ids_;
  struct OldBlock {
    uint64_t size;
    uint32_t stack;
  };
  std::vector<OldBlock> old_blocks_;
  std::vector<Segment> segments_;
  std::vector<Annotation> annotations_;
};

}  // namespace aiflame::torch_memory
