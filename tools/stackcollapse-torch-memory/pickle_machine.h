// SPDX-License-Identifier: MIT
// Reads the pickle of a memory snapshot. It executes nothing: of pickle's opcodes only those are
// taken that make numbers, texts, lists, dictionaries and tuples, and any other is an error.
//
// A pickle is a program for a machine with a stack. A dictionary with one entry is
//
//   }          an empty dictionary                 stack: {}
//   \x94       its number in the memo is 0
//   (          a mark                              stack: {} (
//   \x8c\x06action  \x8c\x05alloc  …               stack: {} ( 'action' 'alloc' …
//   u          all above the mark go into it       stack: {'action': 'alloc', …}
//   h\x00      number 0 of the memo, again         stack: {…} {…}
//
// Whoever writes a snapshot numbers each thing that may occur again. Frames occur in thousands of
// stacks, and are there as such numbers: two to five bytes each.
//
// A dictionary becomes a record (snapshot_builder.h) when it is filled, which Python does at once.
// A list is filled in parts of a thousand, and ends when something else takes it. So the stack
// holds small numbers, and the memo 4 bytes for each thing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/memory/growing_array.h"
#include "tools/stackcollapse-torch-memory/pickle_bytes.h"
#include "tools/stackcollapse-torch-memory/snapshot_builder.h"

namespace aiflame::torch_memory {

class PickleMachine {
 public:
  PickleMachine(PickleBytes& bytes, Snapshot& snapshot, SnapshotBuilder& builder)
      : bytes_(bytes), snapshot_(snapshot), builder_(builder) {}

  // Runs up to STOP, and returns the value that is left. Throws Error.
  Value run();

 private:
  using Kind = Value::Kind;

  void push(Value value) { stack_.push_back(value); }
  void push_number(int64_t value) {
    push({Kind::integer, value < 0 ? 1U : 0U, static_cast<uint64_t>(value)});
  }
  Value pop();
  void push_text(uint64_t size);
  void push_long(uint64_t size);
  // The place of the value above the last mark, which is removed with the values.
  size_t pop_mark();
  Value& container(size_t at, Kind first, Kind second, const char* what);
  // The value as it is taken by a container: a list ends here.
  Value taken(Value value);
  void set_items(size_t first);
  void append_items(size_t first);
  void make_tuple(size_t first);

  void put(uint64_t place);
  void get(uint64_t place);
  Value end_waiting_list(uint32_t list);
  // What the memo has for a container is replaced when it is filled or ends.
  void change(uint64_t memo, Value from, Value to);
  uint32_t packed(Value value);
  Value unpacked(uint32_t slot) const;

  [[noreturn, gnu::cold]] void refuse(uint8_t opcode);
  [[noreturn, gnu::cold]] void fail(const std::string& what) const { bytes_.fail(begin_, what); }

  PickleBytes& bytes_;
  Snapshot& snapshot_;
  SnapshotBuilder& builder_;
  uint64_t begin_ = 0;  // the offset of the opcode, for messages
  GrowingArray<Value> stack_;
  std::vector<size_t> marks_;
  // The kind in the upper 5 bits, then an id, or the place of a number in `wide_`.
  GrowingArray<uint32_t> memo_;
  std::vector<Value> wide_;
  std::vector<size_t> list_places_;  // on the stack, of the builder's open lists
  uint32_t containers_ = 0;          // numbers new containers
};

}  // namespace aiflame::torch_memory
