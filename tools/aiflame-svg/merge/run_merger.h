// SPDX-License-Identifier: MIT
// Merges several runs of stacks into one.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/merge/run_reader.h"

namespace aiflame::svg {

// A tournament tree of losers. For each run it knows how many frames the next stack has in common
// with the stack taken last. Of two runs, the one with more common frames has the lesser stack.
// Names are compared only when both have the same number, and only from there on. So each frame is
// compared about once, however many runs there are.
class RunMerger {
 public:
  // Merges what each reader would give next.
  explicit RunMerger(std::vector<RunReader>&& runs);

  // Appends everything to `out` as one run, and adds up equal stacks. `names`, if not null,
  // translates the numbers of names.
  void append_to(StackRuns& out, const uint32_t* names = nullptr);

 private:
  // A run and its reach: 1 + the frames that its stack has in common with the stack taken last, or
  // 0 at the end of the run. Both are in one number, the reach in the upper half, so that most
  // matches are decided without a branch, which no processor could predict.
  using Player = uint64_t;
  static Player player(uint32_t run, uint32_t reach) { return uint64_t{reach} << 32 | run; }
  static uint32_t run_of(Player one) { return static_cast<uint32_t>(one); }
  static uint32_t reach_of(Player one) { return static_cast<uint32_t>(one >> 32); }

  // Returns the winner; the other player becomes `loser`.
  Player play(Player a, Player b, Player& loser) const;
  Player play_by_name(Player a, Player b, Player& loser) const;
  void advance();

  std::vector<RunReader> runs_;
  std::vector<Player> losers_;  // by match: 1 is the final, 2i and 2i + 1 come before i
  Player winner_ = 0;
};

}  // namespace aiflame::svg
