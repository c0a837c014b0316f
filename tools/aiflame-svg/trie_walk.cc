// SPDX-License-Identifier: MIT
// The segments of tries, sorted and laid side by side, as a flame tree.
#include <algorithm>

#include "libcommon/parallel.h"
#include "tools/aiflame-svg/byte_scan.h"
#include "tools/aiflame-svg/sorted_segments.h"
#include "tools/aiflame-svg/stack_trie.h"
#include "tools/aiflame-svg/tree_builder.h"

namespace aiflame {
namespace {

// Names are in the order they have in sorted lines, each followed by `end`: the ';' in front of
// more frames or, of a frame with a count of its own, the blank in front of it. So `a.x` is left of
// an `a` that only goes on, as in flamegraph.pl.
bool is_left(std::string_view a, char a_end, std::string_view b, char b_end) {
  const size_t same = common_prefix(a, b);
  const auto byte = [same](std::string_view text, char end) {
    return static_cast<unsigned char>(same < text.size() ? text[same] : end);
  };
  const unsigned char left = byte(a, a_end), right = byte(b, b_end);
  return left != right ? left < right : a.size() < b.size();
}

// The names' numbers in the order of is_left(), each followed by ';'.
std::vector<uint32_t> sorted_names(const NameTable& names) {
  // Eight bytes decide most comparisons. No name has a ';', so the one behind it tells names from
  // their beginnings.
  struct Item {
    uint64_t key;
    uint32_t name;
  };
  std::vector<Item> items(names.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    const std::string_view name = names[i];
    char bytes[8] = {};
    const size_t size = std::min(name.size(), sizeof bytes);
    std::copy_n(name.data(), size, bytes);
    if (size < sizeof bytes) bytes[size] = ';';
    items[i] = {__builtin_bswap64(load_bytes(bytes, sizeof bytes)), i};
  }
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (a.key != b.key) return a.key < b.key;
    return is_left(names[a.name], ';', names[b.name], ';');
  });
  std::vector<uint32_t> order;
  order.reserve(items.size());
  for (const Item& item : items) order.push_back(item.name);
  return order;
}

}  // namespace

class TrieWalk {
 public:
  explicit TrieWalk(std::vector<StackTrie>& tries) : tries_(tries) {}

  FlameTree tree() {
    for (StackTrie& trie : tries_) trie.table_ = SegmentTable();
    arrange_names();
    return walk(SortedSegments(tries_));
  }

 private:
  // A name's number becomes its place among those of all tries, sorted.
  void arrange_names() {
    names_ = std::move(tries_[0].names_);
    std::vector<std::vector<uint32_t>> places(tries_.size());  // by trie, by number in it
    for (uint32_t i = 0; i < names_.size(); ++i) places[0].push_back(i);
    for (size_t i = 1; i < tries_.size(); ++i)
      for (uint32_t name = 0; name < tries_[i].names_.size(); ++name)
        places[i].push_back(names_.intern(tries_[i].names_[name]));
    const std::vector<uint32_t> order = sorted_names(names_);
    names_.arrange(order);
    std::vector<uint32_t> sorted(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) sorted[order[i]] = i;
    in_parallel(tries_.size(), [&](size_t i) {
      for (uint32_t& place : places[i]) place = sorted[place];
      for (uint32_t& frame : tries_[i].frames_) frame = places[i][frame];
    });
    root_name_ = places[0][0];
    moves_.assign(order.size(), false);
    for (uint32_t i = 1; i < order.size(); ++i) {
      const std::string_view left = names_[i - 1], name = names_[i];
      moves_[i] = left.starts_with(name) && static_cast<unsigned char>(left[name.size()]) >= ' ';
    }
  }

  FlameTree walk(const SortedSegments& segments) {
    uint64_t most = 0, most_before = 0;
    for (uint32_t i = 0; i < segments.size(); ++i) {
      most += segments[i].count;
      most_before += segments.before(i);
    }
    TreeBuilder builder(FlameTree::Order::merged, segments.differential(),
                        std::max(most, most_before), root_name_);
    open_ = {{FlameTree::kRoot, root_name_}};
    count(builder, segments, SortedSegments::kRoot);
    std::vector<Group> groups;
    enter(groups, segments, SortedSegments::kRoot);
    while (!groups.empty()) {
      Group& group = groups.back();
      if (group.next == group.end) {
        groups.pop_back();
        continue;
      }
      const uint32_t segment = group.next++;
      put(builder, segments, segment, group.depth);
      enter(groups, segments, segment);
    }
    while (builder.depth() > 0) builder.close();
    mend_order(builder);
    return builder.finish(std::move(names_), segments.differential());
  }

  // Segments with the same parent, which are yet to be put into the tree.
  struct Group {
    uint32_t next, end;
    size_t depth;  // of the frames they stand on
  };
  struct Open {
    uint32_t node, name;
  };

  void enter(std::vector<Group>& groups, const SortedSegments& segments, uint32_t segment) const {
    const uint32_t begin = segments[segment].children, end = segments[segment + 1].children;
    if (begin != end) groups.push_back({begin, end, open_.size()});
  }

  // Frames that it has in common with the one left of it are open still.
  void put(TreeBuilder& builder, const SortedSegments& segments, uint32_t segment, size_t depth) {
    const uint32_t* name = segments.frames(segment);
    const uint32_t* end = segments.frames(segment + 1);
    while (name != end && depth < open_.size() && open_[depth].name == *name) {
      ++depth;
      ++name;
    }
    for (; open_.size() > depth; open_.pop_back()) builder.close();
    for (; name != end; ++name) open_.push_back({builder.open(*name), *name});
    count(builder, segments, segment);
  }

  void count(TreeBuilder& builder, const SortedSegments& segments, uint32_t segment) {
    const uint64_t count = segments[segment].count, before = segments.before(segment);
    if (count == 0 && before == 0) return;
    builder.count(count, before);
    // what has a count of its own may stand farther to the left than it was put
    if (moves_[open_.back().name] && open_.size() > 1)
      unsure_.push_back(open_[open_.size() - 2].node);
  }

  void mend_order(TreeBuilder& builder) {
    const FlameTree& tree = builder.tree();
    struct Child {
      std::string_view name;
      char behind;
      uint32_t node;
    };
    const auto left = [](const Child& a, const Child& b) {
      return is_left(a.name, a.behind, b.name, b.behind);
    };
    std::sort(unsure_.begin(), unsure_.end());
    unsure_.erase(std::unique(unsure_.begin(), unsure_.end()), unsure_.end());
    std::vector<Child> children;
    std::vector<uint32_t> order;
    // from the back: what moves takes along what stands on it, which is in order then
    for (size_t i = unsure_.size(); i-- > 0;) {
      children.clear();
      for (const uint32_t child : tree.children(unsure_[i])) {
        const bool own = tree.self(child) > 0 || tree.self_before(child) > 0;
        children.push_back({names_[tree.name_id(child)], own ? ' ' : ';', child});
      }
      if (std::is_sorted(children.begin(), children.end(), left)) continue;
      std::sort(children.begin(), children.end(), left);
      order.clear();
      for (const Child& child : children) order.push_back(child.node);
      builder.arrange(unsure_[i], order);
    }
  }

  std::vector<StackTrie>& tries_;
  NameTable names_;
  uint32_t root_name_ = 0;
  std::vector<bool> moves_;       // by name: with a blank behind it, it is left of more names
  std::vector<Open> open_;        // the frames that are, the root in front
  std::vector<uint32_t> unsure_;  // nodes whose children may not be in order
};

FlameTree merged_tree(std::vector<StackTrie>&& tries) {
  return TrieWalk(tries).tree();
}

FlameTree StackTrie::finish() {
  std::vector<StackTrie> tries;
  tries.push_back(std::move(*this));
  return merged_tree(std::move(tries));
}

}  // namespace aiflame
