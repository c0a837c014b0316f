// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/run_merger.h"

#include <bit>
#include <utility>

namespace aiflame {

RunMerger::RunMerger(std::vector<RunReader>&& runs) : runs_(std::move(runs)) {
  const size_t places = std::bit_ceil(runs_.size());
  losers_.resize(places);
  std::vector<Player> winners(2 * places);  // of each match, and those who have not played yet
  for (size_t i = 0; i < runs_.size(); ++i)
    winners[places + i] = {static_cast<uint32_t>(i), runs_[i].next() ? 1U : 0U};
  for (size_t match = places - 1; match > 0; --match)
    winners[match] = play(winners[2 * match], winners[2 * match + 1], losers_[match]);
  winner_ = winners[1];
}

RunMerger::Player RunMerger::play(Player a, Player b, Player& loser) const {
  if (a.reach < b.reach) std::swap(a, b);
  loser = b;
  if (a.reach != b.reach || a.reach == 0) return a;
  const auto left = runs_[a.run].path(), right = runs_[b.run].path();
  size_t same = a.reach - 1;
  while (same < left.size() && same < right.size() && left[same] == right[same]) ++same;
  const auto reach = static_cast<uint32_t>(same + 1);
  if (same == left.size() || (same < right.size() && left[same] < right[same])) {
    loser.reach = reach;
    return a;
  }
  loser = {a.run, reach};
  return b;
}

void RunMerger::advance() {
  RunReader& run = runs_[winner_.run];
  winner_.reach = run.next() ? run.shared() + 1 : 0;
  for (size_t match = (losers_.size() + winner_.run) / 2; match > 0; match /= 2)
    winner_ = play(winner_, losers_[match], losers_[match]);
}

void RunMerger::append_to(StackRuns& out, const uint32_t* names) {
  out.begin_run();
  size_t depth = 0;
  for (bool first = true; winner_.reach > 0; advance(), first = false) {
    const RunReader& run = runs_[winner_.run];
    const auto path = run.path();
    const uint32_t shared = winner_.reach - 1;
    if (!first && shared == path.size() && shared == depth)
      out.add(run.count(), run.before());
    else
      out.append(path, shared, names, run.count(), run.before());
    depth = path.size();
  }
}

}  // namespace aiflame
