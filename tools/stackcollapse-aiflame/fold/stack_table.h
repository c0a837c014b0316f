// SPDX-License-Identifier: MIT
// Stacks as numbers: each distinct stack is stored once, and so are lists of callers that stacks
// share. Frames and roots are numbers of texts in a TextTable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

// The leaf is stored separately: samples of one function differ in the leaf's line, but not in its
// callers.
struct Stack {
  uint32_t root = 0;
  uint32_t leaf = 0;     // 0, the empty text: no frames
  uint32_t callers = 0;  // from StackTable::callers()

  bool operator==(const Stack&) const = default;
};

class StackTable {
 public:
  // The number of a list of callers, innermost first.
  uint32_t callers(const uint32_t* frames, size_t count) { return callers_.number(frames, count); }
  size_t caller_count(uint32_t callers) const { return callers_.count(callers); }

  size_t size() const { return stacks_.size(); }
  void reserve(size_t stacks) { stacks_.reserve(stacks); }
  uint32_t number(const Stack& stack) { return stacks_.number(stack); }
  // `frames` are leaf first.
  uint32_t number(uint32_t root, const uint32_t* frames, size_t count) {
    if (count == 0) return number({root, 0, callers(frames, 0)});
    return number({root, frames[0], callers(frames + 1, count - 1)});
  }
  const Stack& stack(uint32_t number) const { return stacks_.key(number); }

  // Calls body(frame) for the stack's frames, leaf first.
  template <typename Body>
  void each_frame(uint32_t number, Body body) const {
    const Stack& whole = stacks_.key(number);
    body(whole.leaf);
    callers_.each(whole.callers, body);
  }

 private:
  ListTable callers_;
  NumberedTable<Stack> stacks_;
};

}  // namespace aiflame::collapse
