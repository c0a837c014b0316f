// SPDX-License-Identifier: MIT
#include "libcommon/code/dominators.h"

#include <algorithm>

namespace aiflame {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// The paths that the search came along, as far as they are known, compressed. Each instruction
// knows the best of its path: the one with the least `semi`.
class Paths {
 public:
  explicit Paths(std::vector<uint32_t>& semi) : semi_(semi), above_(semi.size(), kNone) {
    for (uint32_t i = 0; i < semi.size(); ++i) best_.push_back(i);
  }

  void link(uint32_t above, uint32_t below) { above_[below] = above; }

  uint32_t best(uint32_t at) {
    if (above_[at] == kNone) return at;
    path_.clear();
    for (uint32_t i = at; above_[above_[i]] != kNone; i = above_[i]) path_.push_back(i);
    while (!path_.empty()) {
      const uint32_t i = path_.back(), up = above_[i];
      path_.pop_back();
      if (semi_[best_[up]] < semi_[best_[i]]) best_[i] = best_[up];
      above_[i] = above_[up];
    }
    return best_[at];
  }

 private:
  std::vector<uint32_t>& semi_;
  std::vector<uint32_t> above_, best_, path_;
};

}  // namespace

// Of all instructions, one behind the other.
struct Dominators::Successors {
  std::vector<uint32_t> all, first;  // and where each one's begin

  explicit Successors(const FlowGraph& ways) : first(ways.size() + 1) {
    const auto each = [&](const auto& visit) {
      for (uint32_t i = 0; i < ways.size(); ++i)
        ways.each_in_function(i, [&](uint32_t before) { visit(before, i); });
    };
    each([&](uint32_t from, uint32_t) { ++first[from + 1]; });
    for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    all.resize(first.back());
    std::vector<uint32_t> next = first;
    each([&](uint32_t from, uint32_t to) { all[next[from]++] = to; });
  }
};

// Goes forward from an entry, depth first, through what no other entry has led to.
void Dominators::go_down(uint32_t entry, const Successors& after) {
  if (number_[entry] != kNone) return;
  struct Step {
    uint32_t index, next;
  };
  const auto root = static_cast<uint32_t>(order_.size());
  std::vector<Step> open;
  const auto meet = [&](uint32_t index, uint32_t above) {
    number_[index] = static_cast<uint32_t>(order_.size());
    order_.push_back(index);
    above_.push_back(above);
    entry_.push_back(root);
    open.push_back({index, after.first[index]});
  };
  meet(entry, root);
  while (!open.empty()) {
    Step& step = open.back();
    if (step.next == after.first[step.index + 1]) {
      open.pop_back();
      continue;
    }
    const uint32_t to = after.all[step.next++];
    if (number_[to] == kNone) meet(to, number_[step.index]);
  }
}

// In terms of the numbers: a way that leads from s to w over numbers above w's alone makes s a
// candidate; the least one is w's `semi`. It dominates w unless one between them has a lesser semi.
std::vector<uint32_t> Dominators::immediate() const {
  const auto size = static_cast<uint32_t>(order_.size());
  std::vector<uint32_t> semi(size), out(above_), bucket(size, kNone), next_in_bucket(size, kNone);
  for (uint32_t i = 0; i < size; ++i) semi[i] = i;
  Paths paths(semi);
  for (uint32_t w = size; w-- > 0;) {
    const uint32_t above = above_[w];
    if (above == w) continue;
    each_predecessor(order_[w], [&](uint32_t before) {
      semi[w] = std::min(semi[w], semi[paths.best(number_[before])]);
    });
    next_in_bucket[w] = bucket[semi[w]];
    bucket[semi[w]] = w;
    paths.link(above, w);
    for (uint32_t v = bucket[above]; v != kNone; v = next_in_bucket[v]) {
      const uint32_t best = paths.best(v);
      out[v] = semi[best] < above ? best : above;
    }
    bucket[above] = kNone;
  }
  for (uint32_t w = 0; w < size; ++w)
    if (out[w] != semi[w]) out[w] = out[out[w]];
  return out;
}

Dominators::Dominators(const FlowGraph& ways) : ways_(ways), number_(ways.size(), kNone) {
  const auto size = static_cast<uint32_t>(ways.size());
  const Successors after(ways);
  if (size > 0) go_down(0, after);
  for (const FlowEdge& call : ways.calls()) go_down(call.to, after);
  for (uint32_t i = 0; i < size; ++i) go_down(i, after);

  const std::vector<uint32_t> dominator = immediate();
  count_.assign(size, 1);
  for (uint32_t i = size; i-- > 0;)
    if (dominator[i] != i) count_[dominator[i]] += count_[i];
  std::vector<uint32_t> next(size);
  place_.resize(size);
  uint32_t place = 0;
  for (uint32_t i = 0; i < size; ++i) {
    uint32_t& at = dominator[i] == i ? place : next[dominator[i]];
    place_[i] = at;
    next[i] = at + 1;
    at += count_[i];
  }
}

}  // namespace aiflame
