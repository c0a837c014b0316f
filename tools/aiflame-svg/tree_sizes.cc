// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree_sizes.h"

#include <algorithm>
#include <string>

#include "libcommon/parallel.h"
#include "tools/aiflame-svg/xml.h"

namespace aiflame {
namespace {

// Fewer nodes are measured before another thread has begun.
constexpr uint32_t kAlone = 100000;

}  // namespace

uint64_t TreeSizes::least_of(size_t one) {
  if (one < 32) return one;
  const size_t shift = one / 16 - 1;
  // no width is so great as to be of a class behind that of 2^64 - 1
  return shift >= 60 ? UINT64_MAX : static_cast<uint64_t>(one - shift * 16) << shift;
}

TreeSizes::TreeSizes(const FlameTree& tree)
    : tree_(tree), name_number_size_(number_size(tree.names().size() / 8)) {
  const size_t parts = tree.size() < kAlone ? 1 : workers();
  std::vector<Counts> counts(parts);
  in_parallel(parts, [&](size_t i) {
    measure(static_cast<uint32_t>(tree.size() * i / parts),
            static_cast<uint32_t>(tree.size() * (i + 1) / parts), counts[i]);
  });
  counts_ = std::move(counts[0]);
  for (size_t i = 1; i < parts; ++i) {
    for (size_t one = 0; one < kClasses; ++one) counts_.sizes[one] += counts[i].sizes[one];
    for (size_t name = 0; name < counts_.widest.size(); ++name)
      counts_.widest[name] = std::max(counts_.widest[name], counts[i].widest[name]);
    counts_.nothing = counts_.nothing || counts[i].nothing;
  }
  for (uint32_t name = 0; name < tree.names().size(); ++name)
    if (widest(name) > 0) name_sizes_[class_of(widest(name))] += name_size(name);
  if (!counts_.nothing) return;
  without_count_.push_back(0);
  for (uint32_t node = 0; node < tree.size(); ++node)
    without_count_.push_back(without_count_.back() + (width(node) == 0 ? 1 : 0));
}

void TreeSizes::measure(uint32_t first, uint32_t last, Counts& counts) const {
  counts.widest.assign(tree_.names().size(), 0);
  for (uint32_t node = first; node < last; ++node) {
    const uint64_t w = width(node);
    if (w == 0) {
      counts.nothing = true;
      continue;
    }
    uint64_t& widest = counts.widest[tree_.name_id(node)];
    widest = std::max(widest, w);
    counts.sizes[class_of(w)] += node_size(node, w);
  }
}

uint64_t TreeSizes::name_size(uint32_t name) const {
  std::string text;
  append_xml(text, tree_.names()[name]);
  return text.size() + 1 + 5;  // with its line's end and its colour
}

uint32_t TreeSizes::frames_below(uint32_t node) const {
  const uint32_t all = tree_.end(node) - node - 1;
  if (without_count_.empty()) return all;
  return all - (without_count_[tree_.end(node)] - without_count_[node + 1]);
}

}  // namespace aiflame
