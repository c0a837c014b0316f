// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/stack_table.h"

#include "libcommon/program.h"

namespace aiflame {

// The numbers are our own, given in the order of the input: an input that collides on purpose would
// have to bring as many texts as it wants to collide.
uint64_t Stack::hash() const {
  uint64_t bits = (uint64_t{root} << 32 | leaf) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 32 ^ callers) * 0xd6e8feb86659fd93;
  return bits ^ bits >> 32;
}

uint32_t StackTable::number(const Stack& stack) {
  uint32_t number = numbers_.find(stack);
  if (number != FlatTable<Stack>::kNone) return number;
  if (stacks_.size() == UINT32_MAX - 1) throw Error("more than 4294967294 distinct stacks");
  number = static_cast<uint32_t>(stacks_.size());
  stacks_.push_back(stack);
  numbers_.set(stack, number);
  return number;
}

uint32_t StackTable::number(uint32_t root, const uint32_t* frames, size_t count) {
  if (count == 0) return number({root, 0, callers(frames, 0)});
  return number({root, frames[0], callers(frames + 1, count - 1)});
}

}  // namespace aiflame
