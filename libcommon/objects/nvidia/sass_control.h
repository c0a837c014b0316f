// SPDX-License-Identifier: MIT
// What the 16 bytes of an instruction of an NVIDIA GPU (since sm_70) tell without a disassembler:
// what it waits for, what waits for it, and where it jumps (pure).
//
// NVIDIA documents none of this. The fields were found by others (Jia et al., "Dissecting the
// NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826; the Mesa compiler NAK)
// and compared with what nvdisasm 11.8 prints for sm_75, sm_80 and sm_90 code of nvcc 13.0, and
// with itself for sm_100 and sm_120. Two words of 64 bits, the lower one first:
//
//   0x0000001402047981 0x000ee8000c1e1900       @P0 LDG.E R4, [R2.64+0x14]
//                 ^^^^ low 0-11     the operation: its kind in 0-8, the form of operands in 9-11
//                      low 12-15    the predicate that guards it: 7 = always, bit 3 negates
//        ^^^^^         high 41-44   cycles until the next instruction may be issued
//                      high 45      whether another warp had better be chosen
//                      high 46-48   the scoreboard that counts until its result is written
//                      high 49-51   the scoreboard that counts until its operands are read; 7 =
//                      none high 52-57   scoreboards that it waits for until they are at 0, a bit
//                      each high 58-61   operands that are kept for the next instruction
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame {

struct SassWord {
  uint64_t low = 0, high = 0;

  // `bytes` has 16 of them.
  static SassWord of(std::string_view bytes);

  // The bits of both words are numbered through: 64 is the lowest of `high`. `count` < 64.
  constexpr uint64_t bits(unsigned first, unsigned count) const {
    const uint64_t from = first >= 64  ? high >> (first - 64)
                          : first == 0 ? low
                                       : low >> first | high << (64 - first);
    return from & ((uint64_t{1} << count) - 1);
  }
  unsigned kind() const { return static_cast<unsigned>(low & 0x1ff); }
  unsigned form() const { return static_cast<unsigned>(low >> 9 & 7); }
};

inline constexpr unsigned kSassScoreboards = 6;

struct SassControl {
  static constexpr unsigned kNone = 7;

  unsigned stall = 0;
  bool yield = false;
  unsigned write = kNone, read = kNone;  // scoreboards
  unsigned waits = 0;                    // scoreboards, a bit each
  unsigned reuse = 0;
};

SassControl sass_control(const SassWord& word);

// DEPBAR.LE SB0, 0x2 waits until at most 2 of what scoreboard 0 counts are left, in order.
struct SassDepbar {
  unsigned scoreboard = 0, leaves = 0;
};

std::optional<SassDepbar> sass_depbar(const SassWord& word);

// What instructions that count on a scoreboard are called without their modifiers: `LDG` of
// LDG.E.64. Empty for others.
std::string_view sass_operation(const SassWord& word);

// Copies from global to shared memory go on while the warp does (cp.async). LDGSTS starts one;
// LDGDEPBAR counts as one on its scoreboard until all copies before it have ended.
bool starts_async_copy(const SassWord& word);
bool closes_async_group(const SassWord& word);

enum class SassFlow {
  next,        // only the next instruction follows
  branch,      // to its target
  join,        // BSYNC: where all threads have come, to the target of the BSSY with that barrier
  join_point,  // BSSY: names that target, and goes on
  call,
  leave,  // returns from a function
  end,    // of the thread
};

struct SassStep {
  SassFlow flow = SassFlow::next;
  bool conditional = false;       // the next instruction may follow too
  std::optional<int64_t> target;  // in bytes behind the instruction's start; empty: not in it
  unsigned barrier = 0;           // of BSSY and BSYNC
};

// `architecture`: 90 for sm_90.
SassStep sass_step(const SassWord& word, unsigned architecture);

}  // namespace aiflame
