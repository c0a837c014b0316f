// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/merge/sorter_merge.h"

#include <algorithm>
#include <utility>

#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/merge/name_order.h"
#include "tools/aiflame-svg/merge/run_merger.h"

namespace aiflame::svg {
namespace {

// Fewer stacks than this are merged by one thread: starting another takes longer.
constexpr size_t kAlone = 4096;
// Parts for each thread, so that all end at about the same time though parts differ in size. Not
// paid for by a figure: 1 to 16 are within the noise on two cores (`make bench`, svg, shuffled).
constexpr size_t kParts = 4;

class SorterMerge {
 public:
  explicit SorterMerge(std::vector<StackSorter>&& sorters) : sorters_(std::move(sorters)) {}

  MergedStacks merge() {
    arrange_names();
    for (size_t i = 0; i < sorters_.size(); ++i)
      for (const StackRuns::Run& run : sorters_[i].runs().runs())
        runs_.emplace_back(sorters_[i].runs(), run, places_[i].data());
    divide();
    const uint32_t root_name = places_[0][0];
    return {merge_parts(), std::move(names_), root_name};
  }

 private:
  // Translates each name's number into its place among the sorted names of all sorters.
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

  // Cuts the whole order into parts, and finds where each part begins in each run.
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

  // Chooses the first stacks of the parts from a sample of stacks at equal distances, so that all
  // parts are about equal. The sample is of stacks where reading can start.
  std::vector<std::vector<uint32_t>> choose_borders(size_t stacks, size_t parts) const {
    const size_t step = std::max<size_t>(1, stacks / (64 * parts) / StackRuns::kWhole);
    std::vector<std::vector<uint32_t>> paths;
    size_t at = 0;  // the next stack of the sample, counted from the start of `one`
    for (const RunReader& one : runs_) {
      RunReader run = one;
      for (; at < run.size(); at += step * StackRuns::kWhole) {
        run.read(at - at % StackRuns::kWhole);
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

  std::vector<StackRuns> merge_parts() {
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
  std::vector<std::vector<uint32_t>> places_;  // by sorter, by a name's number there
  std::vector<RunReader> runs_;                // of all sorters
  std::vector<std::vector<size_t>> cuts_;      // by run: where each part begins
  size_t parts_ = 1;
};

}  // namespace

MergedStacks merge_sorters(std::vector<StackSorter>&& sorters) {
  return SorterMerge(std::move(sorters)).merge();
}

}  // namespace aiflame::svg
