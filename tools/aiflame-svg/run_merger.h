// SPDX-License-Identifier: MIT
// Several runs of stacks as one.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/stack_runs.h"

namespace aiflame {

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
  struct Player {
    uint32_t run;
    // 1 + the frames its stack has in common with the one taken last; 0: it has come to its end
    uint32_t reach;
  };
  // The winner; the other one becomes `loser`.
  Player play(Player a, Player b, Player& loser) const;
  void advance();

  std::vector<RunReader> runs_;
  std::vector<Player> losers_;  // of each match: 1 the last one, 2i and 2i + 1 those before i
  Player winner_{};
};

}  // namespace aiflame
