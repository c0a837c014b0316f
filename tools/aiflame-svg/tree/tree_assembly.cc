// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree/tree_assembly.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/merge/name_order.h"
#include "tools/aiflame-svg/merge/run_reader.h"

namespace aiflame::svg {

TreeAssembly::TreeAssembly(MergedStacks&& stacks)
    : parts_(stacks.parts.size()), root_name_(stacks.root_name) {
  tree_.order_ = FlameTree::Order::merged;
  tree_.names_ = std::move(stacks.names);
  for (size_t i = 0; i < stacks.parts.size(); ++i) parts_[i].stacks = std::move(stacks.parts[i]);
}

FlameTree TreeAssembly::finish() {
  for (const Part& part : parts_) tree_.differential_ |= part.stacks.differential();
  number_nodes();
  find_moving_names();
  in_parallel(parts_.size(), [&](size_t i) {
    assemble(parts_[i]);
    parts_[i].stacks = StackRuns();
  });
  open_.push_back({FlameTree::kRoot, 0, 0});
  for (const Part& part : parts_) join(part);
  while (!open_.empty()) close_last(tree_.size());
  mend_order();
  return std::move(tree_);
}

void TreeAssembly::number_nodes() {
  uint64_t nodes = 1;
  std::vector<uint32_t> last;
  for (Part& part : parts_) {
    RunReader run(part.stacks, part.stacks.runs().back());
    run.read(0);
    const auto path = run.path();
    part.shared += static_cast<uint32_t>(
        std::mismatch(path.begin(), path.end(), last.begin(), last.end()).first - path.begin());
    part.first = static_cast<uint32_t>(nodes);
    nodes += part.stacks.frames() - (part.shared - 1);
    if (nodes >= UINT32_MAX) throw Error("more than 4294967294 frames");
    run.read(run.size() - 1);
    last.assign(run.path().begin(), run.path().end());
  }
  make_room(nodes);
}

void TreeAssembly::make_room(uint64_t nodes) {
  uint64_t most = 0, most_before = 0;
  for (const Part& part : parts_) {
    most += part.stacks.total();
    most_before += part.stacks.total_before();
  }
  tree_.totals_ = CountArray(std::max(most, most_before));
  tree_.totals_before_ = CountArray(std::max(most, most_before));
  tree_.name_ids_.extend(nodes);
  tree_.ends_.extend(nodes);
  tree_.totals_.extend(nodes);
  if (tree_.differential_) tree_.totals_before_.extend(nodes);
  tree_.name_ids_[FlameTree::kRoot] = root_name_;
}

void TreeAssembly::find_moving_names() {
  const NameTable& names = tree_.names_;
  moves_.assign(names.size(), false);
  for (uint32_t i = 1; i < names.size(); ++i) {
    const std::string_view left = names[i - 1], name = names[i];
    moves_[i] = left.starts_with(name) && static_cast<unsigned char>(left[name.size()]) >= ' ';
  }
}

void TreeAssembly::assemble(Part& part) {
  uint32_t node = part.first, shared = part.shared;
  std::vector<Open>& open = part.open;
  open.assign(shared, {0, 0, 0});
  size_t size = shared;  // frames in `open`, which is kept larger
  bool first = true;
  part.stacks.each([&](const StackRuns::Stack& stack, const uint32_t* names, uint64_t before) {
    // The part's first stack shares no frame within the part, but some with earlier parts.
    const size_t known = first ? shared - 1 : 0;
    const size_t keep = 1 + stack.shared + known;
    names += known;
    first = false;
    for (; size > std::max<size_t>(keep, shared); --size) close(&open[size - 1], node);
    for (; shared > keep; --shared, --size)
      part.closed.push_back({node, open[size - 1].total, open[size - 1].before});
    if (open.size() <= stack.depth) open.resize(2 * size_t{stack.depth} + 1);
    for (; size <= stack.depth; ++size) {
      tree_.name_ids_[node] = *names++;
      open[size] = {node++, 0, 0};
    }
    open[size - 1].total += stack.count;
    open[size - 1].before += before;
    // A frame with a count of its own may belong farther to the left. Its last frame is one that
    // the previous stack does not have, so `names[-1]` is its name.
    if (stack.depth == 0 || (stack.count == 0 && before == 0) || !moves_[names[-1]]) return;
    const auto below = static_cast<uint32_t>(size - 2);
    if (below < shared)
      part.unsure_shared.push_back(below);
    else
      part.unsure.push_back(open[below].node);
  });
  open.resize(size);
}

// Adds the frame's counts to its parent, which is just before it in memory. The root has none.
void TreeAssembly::close(Open* open, uint32_t end) {
  tree_.ends_[open->node] = end;
  tree_.totals_.set(open->node, open->total);
  if (tree_.differential_) tree_.totals_before_.set(open->node, open->before);
  if (open->node == FlameTree::kRoot) return;
  open[-1].total += open->total;
  open[-1].before += open->before;
}

void TreeAssembly::close_last(uint32_t end) {
  close(&open_.back(), end);
  open_.pop_back();
}

void TreeAssembly::join(const Part& part) {
  for (const uint32_t below : part.unsure_shared) unsure_.push_back(open_[below].node);
  unsure_.insert(unsure_.end(), part.unsure.begin(), part.unsure.end());
  // frames that this part does not share ended where it begins
  while (open_.size() > part.shared) close_last(part.first);
  for (const Open& closed : part.closed) {
    open_.back().total += closed.total;
    open_.back().before += closed.before;
    close_last(closed.node);
  }
  const size_t shared = open_.size();
  for (size_t i = 0; i < shared; ++i) {
    open_[i].total += part.open[i].total;
    open_[i].before += part.open[i].before;
  }
  open_.insert(open_.end(), part.open.begin() + static_cast<std::ptrdiff_t>(shared),
               part.open.end());
}

void TreeAssembly::mend_order() {
  struct Child {
    std::string_view name;
    char end;
    uint32_t node;
  };
  const auto left = [](const Child& a, const Child& b) {
    return is_left(a.name, a.end, b.name, b.end);
  };
  std::sort(unsure_.begin(), unsure_.end());
  unsure_.erase(std::unique(unsure_.begin(), unsure_.end()), unsure_.end());
  std::vector<Child> children;
  std::vector<uint32_t> order;
  // From the back, since a node moves with its descendants, which are in order by then.
  for (size_t i = unsure_.size(); i-- > 0;) {
    children.clear();
    for (const uint32_t child : tree_.children(unsure_[i])) {
      const bool own = tree_.self(child) > 0 || tree_.self_before(child) > 0;
      children.push_back({tree_.name(child), own ? ' ' : ';', child});
    }
    if (std::is_sorted(children.begin(), children.end(), left)) continue;
    std::sort(children.begin(), children.end(), left);
    order.clear();
    for (const Child& child : children) order.push_back(child.node);
    arrange(unsure_[i], order);
  }
}

// Puts the children of `parent`, with their descendants, into another order.
void TreeAssembly::arrange(uint32_t parent, const std::vector<uint32_t>& children) {
  struct Node {
    uint32_t name, length;
    uint64_t total, before;
  };
  std::vector<Node> moved;
  moved.reserve(tree_.end(parent) - parent - 1);
  for (const uint32_t child : children)
    for (uint32_t node = child; node < tree_.end(child); ++node)
      moved.push_back({tree_.name_ids_[node], tree_.ends_[node] - node, tree_.totals_[node],
                       tree_.total_before(node)});
  uint32_t node = parent + 1;
  for (const Node& one : moved) {
    tree_.name_ids_[node] = one.name;
    tree_.ends_[node] = node + one.length;
    tree_.totals_.set(node, one.total);
    if (tree_.differential_) tree_.totals_before_.set(node, one.before);
    ++node;
  }
}

}  // namespace aiflame::svg
