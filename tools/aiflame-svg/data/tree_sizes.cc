// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/tree_sizes.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include "libcommon/parallel/parallel.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

// A thread measures kAlone nodes at a time, or more if that would give more than kMostParts parts.
constexpr uint32_t kAlone = 100000, kMostParts = 64;

}  // namespace

uint64_t TreeSizes::least_of(size_t one) {
  if (one < 32) return one;
  const size_t shift = one / 16 - 1;
  // classes above that of 2^64 - 1 are empty
  return shift >= 60 ? UINT64_MAX : static_cast<uint64_t>(one - shift * 16) << shift;
}

TreeSizes::TreeSizes(const FlameTree& tree)
    : tree_(tree),
      name_number_size_(number_size(tree.names().size() / 8)),
      part_nodes_(std::max(kAlone, tree.size() / kMostParts + 1)),
      parts_((tree.size() - 1) / part_nodes_ + 1),
      widest_(tree.names().size(), 0) {
  std::mutex mutex;
  bool nothing = false;
  std::atomic<size_t> next = 0;
  in_parallel(std::min(parts_.size(), workers()), [&](size_t) {
    std::vector<uint64_t> widest(tree.names().size(), 0);
    bool own_nothing = false;
    for (size_t part = next++; part < parts_.size(); part = next++)
      own_nothing |= measure(part, widest);
    const std::lock_guard lock(mutex);
    nothing |= own_nothing;
    for (size_t name = 0; name < widest.size(); ++name)
      widest_[name] = std::max(widest_[name], widest[name]);
  });
  for (const Sizes& part : parts_)
    for (size_t one = 0; one < kClasses; ++one) sizes_[one] += part[one];
  for (uint32_t name = 0; name < tree.names().size(); ++name)
    if (widest_[name] > 0) name_sizes_[class_of(widest_[name])] += name_size(name);
  if (!nothing) return;
  without_count_.push_back(0);
  for (uint32_t node = 0; node < tree.size(); ++node)
    without_count_.push_back(without_count_.back() + (width(node) == 0 ? 1 : 0));
}

// Returns whether a node of the part has no count.
bool TreeSizes::measure(size_t part, std::vector<uint64_t>& widest) {
  bool nothing = false;
  Sizes& sizes = parts_[part];
  const uint64_t end = std::min<uint64_t>(tree_.size(), (part + 1) * part_nodes_);
  for (auto node = static_cast<uint32_t>(part * part_nodes_); node < end; ++node) {
    const uint64_t w = width(node);
    nothing |= w == 0;
    uint64_t& of_name = widest[tree_.name_id(node)];
    of_name = std::max(of_name, w);
    sizes[class_of(w)] += node_size(node, w);
  }
  sizes[0] = 0;  // nodes without counts are not written
  return nothing;
}

uint64_t TreeSizes::name_size(uint32_t name) const {
  std::string text;
  append_xml(text, tree_.names()[name]);
  return text.size() + 1 + 5;  // with the end of its line, and its colour
}

uint32_t TreeSizes::frames_below(uint32_t node) const {
  const uint32_t all = tree_.end(node) - node - 1;
  if (without_count_.empty()) return all;
  return all - (without_count_[tree_.end(node)] - without_count_[node + 1]);
}

}  // namespace aiflame::svg
