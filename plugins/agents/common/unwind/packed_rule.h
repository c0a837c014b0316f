/* SPDX-License-Identifier: MIT
 *
 * The rule that leads from a frame to its caller, packed into one word, and the cache of such
 * words. unwind.cc explains them.
 */
#pragma once

#include <atomic>
#include <cstdint>

#include "libcommon/symbols/call_frame_program.h"
#include "plugins/agents/common/unwind/this_machine.h"

namespace aiflame::agent {

using eh_frame::Register;

// A row of the tables, with the two registers that lead to the caller.
struct Row : eh_frame::Row {
  Register bp, ra;
  Register* find(uint64_t number) {
    return number == kFramePointer ? &bp : number == kReturnAddress ? &ra : nullptr;
  }
};

// A packed rule. Bit 63 is always set; bit 62: the walk ends here; bit 61: the base is %rbp, else
// %rsp; bits 59-56 are unused; bits 31-0: the CFA's offset from the base.
// x86-64: bits 55-32 are how far below the CFA %rbp was saved, 0 = it was not. The return address
// is 8 below the CFA. AArch64: bits 55-32 are how far below the CFA x29 was saved. The return
// address lies 8 further up, beside it (stp x29, x30). Bit 60: x29 was not saved, but the return
// address is there.
constexpr uint64_t kSet = uint64_t{1} << 63, kEnd = uint64_t{1} << 62, kBaseBp = uint64_t{1} << 61;
constexpr uint64_t kOnlyReturn = uint64_t{1} << 60;

// How far below the CFA the frame pointer was saved, and the return address.
inline uint64_t pointer_below(uint64_t rule) {
  return rule >> 32 & 0xffffff;
}
inline bool saves_pointer(uint64_t rule) {
  return kHasLinkRegister ? (rule & kOnlyReturn) == 0 : pointer_below(rule) != 0;
}
inline uint64_t return_below(uint64_t rule) {
  return kHasLinkRegister ? pointer_below(rule) - 8 : 8;
}

[[nodiscard]] inline bool pack_rule(const Row& row, uint64_t& rule) {
  if (row.ra.rule == Register::Rule::undefined) {
    rule = kSet | kEnd;
    return true;
  }
  if (row.base != kStackPointer && row.base != kFramePointer) return false;
  if (row.ra.rule != Register::Rule::at_offset) return false;
  if (!kHasLinkRegister && row.ra.offset != -8) return false;
  if (row.offset < 8 || row.offset > INT32_MAX) return false;
  rule = kSet | (row.base == kFramePointer ? kBaseBp : 0) | static_cast<uint64_t>(row.offset);
  int64_t pointer = 0;
  if (row.bp.rule == Register::Rule::at_offset) {
    pointer = row.bp.offset;
    if (kHasLinkRegister && row.ra.offset != pointer + 8) return false;
  } else if (row.bp.rule != Register::Rule::same) {
    return false;
  } else if (kHasLinkRegister) {
    pointer = row.ra.offset - 8;
    rule |= kOnlyReturn;
  } else {
    return true;
  }
  if (pointer >= -8 || pointer < -0xffffff) return false;
  rule |= static_cast<uint64_t>(-pointer) << 32;
  return true;
}

// The cache of packed rules, by return address. Direct-mapped, and shared by all threads without a
// lock: `check` is pc ^ rule, so a pair of which two writers stored one half each matches no pc.
// 8192 slots of 16 bytes hold every launch path of a large framework.
struct RuleSlot {
  std::atomic<uint64_t> check, rule;
};
constexpr unsigned kRuleSlotBits = 13;
inline RuleSlot rule_slots[1 << kRuleSlotBits];

inline RuleSlot& slot_of(uint64_t pc) {
  return rule_slots[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - kRuleSlotBits)];
}

// The rule for `pc`, 0 when it is not cached.
inline uint64_t cached_rule(uint64_t pc) {
  const RuleSlot& slot = slot_of(pc);
  const uint64_t rule = slot.rule.load(std::memory_order_relaxed);
  return (slot.check.load(std::memory_order_relaxed) ^ rule) == pc ? rule : 0;
}

inline void cache_rule(uint64_t pc, uint64_t rule) {
  RuleSlot& slot = slot_of(pc);
  slot.rule.store(rule, std::memory_order_relaxed);
  slot.check.store(pc ^ rule, std::memory_order_relaxed);
}

}  // namespace aiflame::agent
