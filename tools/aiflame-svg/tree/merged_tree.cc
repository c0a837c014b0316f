// SPDX-License-Identifier: MIT
// The runs of several sorters as a flame tree.
#include <algorithm>

#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/read/run_merger.h"
#include "tools/aiflame-svg/read/stack_sorter.h"
#include "tools/aiflame-svg/tree/name_order.h"
#include "tools/aiflame-svg/tree/tree_assembly.h"

namespace aiflame::svg {
namespace {

// Fewer stacks are merged before another thread has begun.
constexpr size_t kAlone = 4096;
// Parts for each thread, so that all end at about the same time.
constexpr size_t kParts = 4;

class Merge {
 public:
  explicit Merge(std::vector<StackSorter>&& sorters) : sorters_(std::move(sorters)) {}

  FlameTree tree() {
    arrange_names();
    for (size_t i = 0; i < sorters_.size(); ++i)
      for (const StackRuns::Run& run : sorters_[i].runs().runs())
        runs_.emplace_back(sorters_[i].runs(), run, places_[i].data());
    divide();
    const uint32_t root_name = places_[0][0];
    std::vector<StackRuns> parts = merge();
    runs_.clear();
    sorters_.clear();
    return TreeAssembly(std::move(parts), std::move(names_), root_name).finish();
  }

 private:
  // A name's number becomes its place among those of all sorters, in order.
  void arrange_names() {
    names_ = sorters_[0].take_names();
    places_.resize(sorters_.size());
    for (uint32_t i = 0; i < names_.size(); ++i) places_[0].push_back(i);
    for (size_t i = 1; i < sorters_.size(); ++i)
      for (uint32_t name = 0; name < sorters_[i].names().size(); ++name)
        places_[i].push_back(names_.intern(sorters_[i].names()[name]));
    const std::vector<uint32_t> order = sorted_names(names_), sorted = places_of(order);
    names_.arrange(order);
    for (std::vector<uint32_t>& places : places_)
      for (uint32_t& place : places) place = sorted[place];
  }

  // Stacks at which the whole is cut, and where that is in each run.
  void divide() {
    size_t stacks = 0;
    for (const RunReader& run : runs_) stacks += run.size();
    const size_t parts = stacks < kAlone || workers() == 1 ? 1 : kParts * workers();
    std::vector<std::vector<uint32_t>> borders;
    if (parts > 1) borders = choose_borders(stacks, parts);
    cuts_.assign(runs_.size(), {0});
    in_parallel(runs_.size(), [&](size_t i) {
      RunReader run = runs_[i];
      for (const auto& border : borders) cuts_[i].push_back(run.lower_bound(border));
      cuts_[i].push_back(run.size());
    });
    parts_ = borders.size() + 1;
  }

  // Out of stacks that lie as far apart as can be read at once, so that all parts are about equal.
  std::vector<std::vector<uint32_t>> choose_borders(size_t stacks, size_t parts) const {
    const size_t step = std::max<size_t>(1, stacks / (64 * parts) / StackRuns::kWhole);
    std::vector<std::vector<uint32_t>> paths;
    size_t at = 0;  // the next one, counted through all runs
    for (const RunReader& one : runs_) {
      RunReader run = one;
      for (; at < run.size(); at += step * StackRuns::kWhole) {
        run.seek(at - at % StackRuns::kWhole);
        run.next();
        paths.emplace_back(run.path().begin(), run.path().end());
      }
      at -= run.size();
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::vector<uint32_t>> borders;
    for (size_t i = 1; i < parts; ++i) {
      std::vector<uint32_t>& path = paths[paths.size() * i / parts];
      if (!path.empty() && (borders.empty() || borders.back() < path)) borders.push_back(path);
    }
    return borders;
  }

  std::vector<StackRuns> merge() {
    std::vector<StackRuns> parts(parts_);
    const bool differential =
        std::any_of(sorters_.begin(), sorters_.end(),
                    [](const StackSorter& sorter) { return sorter.runs().differential(); });
    in_parallel(parts_, [&](size_t part) {
      if (differential) parts[part].make_differential();
      std::vector<RunReader> readers;
      for (size_t i = 0; i < runs_.size(); ++i) {
        if (cuts_[i][part] == cuts_[i][part + 1]) continue;
        readers.push_back(runs_[i]);
        readers.back().seek(cuts_[i][part]);
        readers.back().stop_at(cuts_[i][part + 1]);
      }
      if (!readers.empty()) RunMerger(std::move(readers)).append_to(parts[part]);
    });
    std::erase_if(parts, [](const StackRuns& part) { return part.runs().empty(); });
    return parts;
  }

  std::vector<StackSorter> sorters_;
  NameTable names_;
  std::vector<std::vector<uint32_t>> places_;  // by sorter, by number in it
  std::vector<RunReader> runs_;
  std::vector<std::vector<size_t>> cuts_;  // by run: where each part begins
  size_t parts_ = 1;
};

}  // namespace

FlameTree merged_tree(std::vector<StackSorter>&& sorters) {
  return Merge(std::move(sorters)).tree();
}

}  // namespace aiflame::svg
