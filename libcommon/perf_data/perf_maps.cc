// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_maps.h"

#include <random>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// In all processes together: 400 MB. Linux allows 65530 mappings in a process by default.
constexpr size_t kMaxMaps = size_t{4} << 20;

// Random, so that no input can choose the shape of a tree.
uint32_t next_rank() {
  static std::minstd_rand random(std::random_device{}());
  return static_cast<uint32_t>(random());
}

}  // namespace

struct PerfMaps::Node {
  explicit Node(const PerfMap& mapped) : map(mapped), rank(next_rank()) { count(); }
  Node(const Node& other) : map(other.map), rank(other.rank), low(other.low), high(other.high) {
    count();
  }
  Node& operator=(const Node&) = delete;
  ~Node() { --held; }

  PerfMap map;
  uint32_t rank;
  Link low, high;

  static inline size_t held = 0;

 private:
  static void count() {
    if (held >= kMaxMaps) throw Error("more than 4194304 mappings in all processes");
    ++held;
  }
};

size_t PerfMaps::held() {
  return Node::held;
}

PerfMaps::Link PerfMaps::make(const PerfMap& map) {
  return std::make_shared<Node>(map);
}

// The node, to be changed: a copy of it if it has other owners.
PerfMaps::Node& PerfMaps::own(Link& link) {
  if (link.use_count() > 1) link = std::make_shared<Node>(*link);
  return *link;
}

// The mappings that start before `start`, and the others.
std::pair<PerfMaps::Link, PerfMaps::Link> PerfMaps::split(Link tree, uint64_t start) {
  if (tree == nullptr) return {};
  Node& node = own(tree);
  if (node.map.start < start) {
    auto [low, high] = split(std::move(node.high), start);
    node.high = std::move(low);
    return {std::move(tree), std::move(high)};
  }
  auto [low, high] = split(std::move(node.low), start);
  node.low = std::move(high);
  return {std::move(low), std::move(tree)};
}

// All mappings of `low` start before those of `high`.
PerfMaps::Link PerfMaps::join(Link low, Link high) {
  if (low == nullptr) return high;
  if (high == nullptr) return low;
  if (low->rank > high->rank) {
    Node& node = own(low);
    node.high = join(std::move(node.high), std::move(high));
    return low;
  }
  Node& node = own(high);
  node.low = join(std::move(low), std::move(node.low));
  return high;
}

// The last mapping, to be changed; nullptr if there is none.
PerfMaps::Node* PerfMaps::own_last(Link& tree) {
  if (tree == nullptr) return nullptr;
  Node* last = &own(tree);
  while (last->high != nullptr) last = &own(last->high);
  return last;
}

void PerfMaps::insert(const PerfMap& map) {
  auto [below, rest] = split(std::move(root_), map.start);
  auto [covered, above] = split(std::move(rest), map.end);
  // what reaches past the new mapping, from below it or from inside it
  Link behind;
  for (Link* part : {&below, &covered}) {
    const Node* last = part->get();
    while (last != nullptr && last->high != nullptr) last = last->high.get();
    if (last == nullptr || last->map.end <= map.end) continue;
    PerfMap left = last->map;
    left.start = map.end;
    left.offset += map.end - last->map.start;
    behind = make(left);
  }
  Link all = make(map);
  if (Node* last = own_last(below); last != nullptr && last->map.end > map.start)
    last->map.end = map.start;
  all = join(std::move(below), std::move(all));
  all = join(std::move(all), std::move(behind));
  root_ = join(std::move(all), std::move(above));
}

void PerfMaps::erase(uint64_t start) {
  auto [below, rest] = split(std::move(root_), start);
  auto [erased, above] =
      start == UINT64_MAX ? std::pair(std::move(rest), Link()) : split(std::move(rest), start + 1);
  root_ = join(std::move(below), std::move(above));
}

const PerfMap* PerfMaps::find(uint64_t address) const {
  const PerfMap* found = nullptr;
  for (const Node* node = root_.get(); node != nullptr;) {
    const bool starts_before = node->map.start <= address;
    if (starts_before) found = &node->map;
    node = starts_before ? node->high.get() : node->low.get();
  }
  return found != nullptr && address < found->end ? found : nullptr;
}

}  // namespace aiflame
