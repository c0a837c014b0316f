// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/tree_data.h"

#include <algorithm>
#include <optional>
#include <string>

#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/data/name_text.h"
#include "tools/aiflame-svg/data/name_totals.h"
#include "tools/aiflame-svg/data/node_text.h"
#include "tools/aiflame-svg/data/tree_cut.h"

namespace aiflame::svg {
namespace {

// Far below the 10 MB of text that libxml2 allows without its option "huge".
constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kFrameworkBytes = 300;  // the elements around the text; 30 more for each chunk
// One piece of this many is made first, to estimate the size of all.
constexpr size_t kSample = 16;
// The names' totals take at most this part of the budget.
constexpr uint64_t kTotalsShare = 8;
// The text of fewer nodes than this is made by one thread: starting another takes longer.
constexpr uint32_t kAlone = 4096;

// The nodes that fit, and their names, as text.
class TreeData {
 public:
  // Takes about `goal` bytes of nodes and names, with the totals of names if there are any.
  TreeData(const FlameTree& tree, const TreeSizes& sizes, uint64_t goal, const NameTotals* totals)
      : tree_(tree),
        cut_(tree, sizes, totals ? goal - std::min(goal, totals->size()) : goal),
        names_(tree, sizes, cut_, totals ? totals->names() : std::vector<uint32_t>()),
        totals_(totals ? totals->text(names_.lines()) : ""),
        nodes_(tree, sizes, cut_, names_.lines()) {}

  // Makes the text and returns its size. First makes a sample of the pieces. When that shows the
  // whole to be larger than `most`, makes no more and returns the estimate.
  uint64_t make(const Palette& palette, uint64_t most) {
    const size_t pieces = nodes_.pieces();
    const size_t step = cut_.takes_all() || pieces < 2 * kSample ? 1 : kSample;
    const size_t sample = (pieces + step - 1) / step;
    const auto make_some = [&](size_t i) {
      if (i == 0)
        names_.make(palette);
      else
        nodes_.make((i - 1) * step);
    };
    in_parallel(sample + 1, make_some, tree_.size() < kAlone ? sample + 2 : 1);
    if (step == 1 || size() > most) return size();
    in_parallel(pieces - sample, [&](size_t i) { nodes_.make(i + i / (step - 1) + 1); });
    return size();
  }

  void put(const Sink& sink) const {
    sink(
        format("<metadata id=\"tree\" data-nodes=\"%llu\" data-names=\"%zu\" "
               "data-total=\"%llu\"",
               static_cast<unsigned long long>(nodes_.nodes()), names_.names(),
               static_cast<unsigned long long>(tree_.total(FlameTree::kRoot))));
    if (tree_.differential())
      sink(format(" data-total-before=\"%llu\"",
                  static_cast<unsigned long long>(tree_.total_before(FlameTree::kRoot))));
    if (tree_.shows_vanished())
      sink(format(" data-room=\"%llu\"",
                  static_cast<unsigned long long>(tree_.room(FlameTree::kRoot))));
    if (tree_.order() == FlameTree::Order::input) sink(" data-order=\"input\"");
    sink(">\n");
    names_.put(sink, kChunk);
    if (!totals_.empty()) sink("<g class=\"totals\">" + totals_ + "</g>\n");
    sink("<g class=\"nodes\">");
    nodes_.put(sink, kChunk, [&] { sink("</g>\n<g class=\"nodes\">"); });
    sink("</g>\n</metadata>\n");
  }

 private:
  // The size of the whole, if the pieces that are not made yet are like those that are.
  uint64_t size() const {
    uint64_t size = nodes_.size();
    if (const uint64_t made = nodes_.nodes(); made < names_.nodes())
      size = static_cast<uint64_t>(static_cast<long double>(size) / static_cast<long double>(made) *
                                   static_cast<long double>(names_.nodes()));
    size += names_.size() + totals_.size() + kFrameworkBytes;
    return size + size / kChunk * 30;
  }

  const FlameTree& tree_;
  TreeCut cut_;
  NameText names_;
  std::string totals_;
  NodeText nodes_;
};

}  // namespace

void write_tree_data(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette,
                     uint64_t budget, const Sink& sink) {
  // The first goal is a little below the budget, since estimates are usually a little too low. When
  // the text still does not fit, the next try aims lower.
  std::optional<NameTotals> totals;
  for (uint64_t goal = budget - budget / 32; goal > kFrameworkBytes;) {
    const uint64_t room = goal - kFrameworkBytes;
    if (!totals && !TreeCut(tree, sizes, room).takes_all())
      totals.emplace(tree, sizes, room / kTotalsShare);
    TreeData data(tree, sizes, room, totals ? &*totals : nullptr);
    const uint64_t size = data.make(palette, budget);
    if (size <= budget) return data.put(sink);
    const auto share = static_cast<long double>(budget) / static_cast<long double>(size);
    goal = static_cast<uint64_t>(static_cast<long double>(goal) * std::min(share, 1.0L) * 0.98L);
  }
}

void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink) {
  if (budget <= kFrameworkBytes) return;
  write_tree_data(tree, TreeSizes(tree), palette, budget, sink);
}

}  // namespace aiflame::svg
