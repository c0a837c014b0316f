// SPDX-License-Identifier: MIT
// Each merge costs as much as the smaller of the two nodes has neighbours, so that a graph of any
// form takes n log n steps.
#include "tools/aiflame-forecast/graph_fusion.h"

#include <algorithm>
#include <list>
#include <numeric>
#include <set>
#include <utility>

namespace aiflame::forecast {
namespace {

bool can_fuse(const GraphNode& node) {
  constexpr std::array<std::string_view, 5> kKinds = {"fused", "MEM", "EMBEDDING", "dropout",
                                                      "misc"};
  return node.kind.starts_with("VEC") ||
         std::find(kKinds.begin(), kKinds.end(), node.kind) != kKinds.end();
}

class Fusion {
 public:
  explicit Fusion(Graph&& graph) : nodes_(std::move(graph.nodes)), groups_(nodes_.size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      groups_[i].members = {i};
      for (const size_t next : nodes_[i].next) {
        groups_[i].next.insert(next);
        groups_[next].prev.insert(i);
      }
    }
  }

  Graph run() {
    std::vector<size_t> waiting(nodes_.size());
    std::iota(waiting.rbegin(), waiting.rend(), 0);
    while (!waiting.empty()) {
      const size_t one = waiting.back();
      waiting.pop_back();
      if (groups_[one].members.empty() || !is_fusable(one)) continue;
      const size_t merged = merge(one, *groups_[one].next.begin());
      // nodes that both of them followed may have one follower less
      waiting.push_back(merged);
      waiting.insert(waiting.end(), touched_.begin(), touched_.end());
    }
    return take();
  }

 private:
  struct Group {
    std::list<size_t> members;  // in the order in which they run; none: merged into another
    std::set<size_t> prev, next;
  };

  bool is_fusable(size_t one) const {
    if (groups_[one].next.size() != 1) return false;
    const size_t other = *groups_[one].next.begin();
    const GraphNode &a = nodes_[one], &b = nodes_[other];
    return one != other && a.part == b.part && can_fuse(a) && can_fuse(b);
  }

  // Merges a group with its only follower; returns which of the two numbers stays.
  size_t merge(size_t first, size_t second) {
    Group &a = groups_[first], &b = groups_[second];
    a.next.erase(second);
    b.prev.erase(first);
    const auto weight = [](const Group& group) { return group.prev.size() + group.next.size(); };
    const bool keeps_first = weight(a) >= weight(b);
    const size_t kept = keeps_first ? first : second, gone = keeps_first ? second : first;
    Group &to = groups_[kept], &from = groups_[gone];
    touched_.clear();
    for (const size_t prev : from.prev) {
      groups_[prev].next.erase(gone);
      groups_[prev].next.insert(kept);
      touched_.insert(prev);
    }
    for (const size_t next : from.next) {
      groups_[next].prev.erase(gone);
      groups_[next].prev.insert(kept);
    }
    to.prev.insert(from.prev.begin(), from.prev.end());
    to.next.insert(from.next.begin(), from.next.end());
    to.members.splice(keeps_first ? to.members.end() : to.members.begin(), from.members);
    from = Group();
    return kept;
  }

  Graph take() {
    Graph out;
    std::vector<size_t> order;
    for (size_t i = 0; i < groups_.size(); ++i)
      if (!groups_[i].members.empty()) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return groups_[a].members.front() < groups_[b].members.front();
    });
    for (const size_t i : order) {
      GraphNode node = joined(groups_[i]);
      if (!groups_[i].prev.empty()) node.inputs = outputs(groups_[i].prev);
      out.nodes.push_back(std::move(node));
    }
    return out;
  }

  std::vector<Shape> outputs(const std::set<size_t>& groups) const {
    std::vector<Shape> out;
    out.reserve(groups.size());
    for (const size_t group : groups) out.push_back(nodes_[groups_[group].members.back()].output);
    return out;
  }

  GraphNode joined(const Group& group) const {
    GraphNode node = nodes_[group.members.front()];
    node.next.clear();
    if (group.members.size() == 1) return node;
    node.is_fused = true;
    const GraphNode& last = nodes_[group.members.back()];
    node.name += "~" + last.name;
    node.output = last.output;
    for (auto member = std::next(group.members.begin()); member != group.members.end(); ++member)
      for (size_t pass = 0; pass < node.operators.size(); ++pass) {
        const auto& more = nodes_[*member].operators[pass];
        node.operators[pass].insert(node.operators[pass].end(), more.begin(), more.end());
      }
    return node;
  }

  std::vector<GraphNode> nodes_;
  std::vector<Group> groups_;
  std::set<size_t> touched_;  // groups in front of the one that was merged last
};

}  // namespace

Graph fuse(Graph graph) {
  return Fusion(std::move(graph)).run();
}

}  // namespace aiflame::forecast
