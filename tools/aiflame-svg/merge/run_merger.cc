// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/merge/run_merger.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace aiflame::svg {

RunMerger::RunMerger(std::vector<RunReader>&& runs) : runs_(std::move(runs)) {
  const size_t places = std::bit_ceil(runs_.size());
  losers_.resize(places);
  std::vector<Player> winners(2 * places);  // by match, then the players before their first
  for (size_t i = 0; i < runs_.size(); ++i)
    winners[places + i] = player(static_cast<uint32_t>(i), runs_[i].next() ? 1 : 0);
  for (size_t match = places - 1; match > 0; --match)
    winners[match] = play(winners[2 * match], winners[2 * match + 1], losers_[match]);
  winner_ = winners[1];
}

RunMerger::Player RunMerger::play(Player a, Player b, Player& loser) const {
  if (reach_of(a) == reach_of(b) && reach_of(a) > 0) return play_by_name(a, b, loser);
  loser = std::min(a, b);
  return std::max(a, b);
}

RunMerger::Player RunMerger::play_by_name(Player a, Player b, Player& loser) const {
  const auto left = runs_[run_of(a)].path(), right = runs_[run_of(b)].path();
  size_t same = reach_of(a) - 1;
  while (same < left.size() && same < right.size() && left[same] == right[same]) ++same;
  const bool is_left = same == left.size() || (same < right.size() && left[same] < right[same]);
  loser = player(run_of(is_left ? b : a), static_cast<uint32_t>(same + 1));
  return is_left ? a : b;
}

void RunMerger::advance() {
  const uint32_t number = run_of(winner_);
  RunReader& run = runs_[number];
  winner_ = player(number, run.next() ? run.shared() + 1 : 0);
  for (size_t match = (losers_.size() + number) / 2; match > 0; match /= 2)
    winner_ = play(winner_, losers_[match], losers_[match]);
}

void RunMerger::append_to(StackRuns& out, const uint32_t* names) {
  out.begin_run();
  size_t depth = 0;
  for (bool first = true; reach_of(winner_) > 0; advance(), first = false) {
    const RunReader& run = runs_[run_of(winner_)];
    const auto path = run.path();
    const uint32_t shared = reach_of(winner_) - 1;
    if (!first && shared == path.size() && shared == depth)
      out.add(run.count(), run.before());
    else
      out.append(path, shared, names, run.count(), run.before());
    depth = path.size();
  }
}

}  // namespace aiflame::svg
