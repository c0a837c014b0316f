// SPDX-License-Identifier: MIT
// Several runs of stacks as one.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/read/stack_runs.h"

namespace aiflame::svg {

// A tournament tree of losers. Each run's next stack is known by how many frames it has in common
// with the stack taken last: of two runs the one with more of them has the lesser stack, and only
// where both have the same number names are looked at, from there on. So each frame is compared
// about once, however many runs there are.
class RunMerger {
 public:
  // Of each run what its reader would give next.
  explicit RunMerger(std::vector<RunReader>&& runs);

  // Makes all of it a run of `out`, equal stacks one. `names`, where given, has
  // other numbers for the names.
  void append_to(StackRuns& out, const uint32_t* names = nullptr);

 private:
  // A run and its reach: 1 + the frames its stack has in common with the one taken last; 0 when it
  // has come to its end. As one number, the reach its upper half, so that most matches are decided
  // without a branch, which nobody could foresee.
  using Player = uint64_t;
  static Player player(uint32_t run, uint32_t reach) { return uint64_t{reach} << 32 | run; }
  static uint32_t run_of(Player one) { return static_cast<uint32_t>(one); }
  static uint32_t reach_of(Player one) { return static_cast<uint32_t>(one >> 32); }

  // The winner; the other one becomes `loser`.
  Player play(Player a, Player b, Player& loser) const;
  Player play_by_name(Player a, Player b, Player& loser) const;
  void advance();

  std::vector<RunReader> runs_;
  std::vector<Player> losers_;  // of each match: 1 the last one, 2i and 2i + 1 those before i
  Player winner_ = 0;
};

}  // namespace aiflame::svg
