// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/flame_tree.h"

#include <algorithm>
#include <array>

#include "libcommon/count.h"

namespace aiflame {
namespace {

constexpr uint32_t kMostNodes = UINT32_MAX - 1;
// Stacks that are looked up side by side, so that the processor waits for their memory at once.
constexpr size_t kGroup = 16;

}  // namespace

FlameTree::FlameTree(Order order) : order_(order), marker_(order == Order::merged) {
  append(kNone, "", static_cast<uint32_t>(StackMarker::name_hash("")));
}

// ---- adding
// --------------------------------------------------------------------------------------
template <typename Leaf>
bool FlameTree::add_at(const Stack& stack, Leaf leaf) {
  if (stack.differs && !differential_) make_differential();
  // beside two-count stacks, one without a count from before has not changed
  const uint64_t before = stack.differs ? stack.before : stack.count;
  const bool fits = stack.count <= UINT64_MAX - sum_ &&
                    (!differential_ || before <= UINT64_MAX - sum_before_) &&
                    stack.marks.size() < kMostNodes - nodes_.size();
  if (!fits) return false;
  const uint32_t node = leaf();
  nodes_[node].count += stack.count;
  sum_ += stack.count;
  if (!differential_) return true;
  before_[node] += before;
  sum_before_ += before;
  return true;
}

size_t FlameTree::add(std::span<const Stack> stacks) {
  std::array<Found, kGroup> found;
  size_t done = 0;
  while (done < stacks.size()) {
    if (stacks[done].sorted) {
      expect_names(stacks, done);
      if (!add_at(stacks[done], [&] { return walk(stacks[done]); })) return done;
      ++done;
      continue;
    }
    if (table_.empty()) make_table();
    const auto group = stacks.subspan(done, std::min(kGroup, stacks.size() - done));
    find(group, found);
    for (size_t i = 0; i < group.size(); ++i, ++done) {
      if (!add_at(group[i], [&] { return grow(group[i], found[i]); })) return done;
    }
  }
  return done;
}

bool FlameTree::add(std::string_view stack, uint64_t count) {
  Stack counted;
  counted.count = count;
  return add_text(stack, counted);
}

bool FlameTree::add(std::string_view stack, uint64_t count, uint64_t before) {
  Stack counted;
  counted.differs = true;
  counted.count = count;
  counted.before = before;
  return add_text(stack, counted);
}

bool FlameTree::add_text(std::string_view text, Stack stack) {
  if (!marker_.mark(text)) return false;
  stack.shared = marker_.shared();
  stack.sorted = marker_.sorted();
  std::vector<Mark> marks;
  marker_.describe(stack.text, marks);
  stack.marks = marks;
  return add(std::span(&stack, 1)) == 1;
}

void FlameTree::make_differential() {
  differential_ = true;
  for (const Node& node : nodes_) before_.push_back(node.count);
  sum_before_ = sum_;
}

uint32_t FlameTree::append(uint32_t parent, std::string_view name, uint32_t hash) {
  const uint32_t node = size();
  nodes_.push_back({names_.intern(name, hash), parent, 0});
  if (differential_) before_.push_back(0);
  if (order_ == Order::input) starts_.push_back(sum_);
  return node;
}

bool FlameTree::scale(uint64_t factor) {
  uint64_t sum = std::max(sum_, sum_before_);
  if (!multiply_checked(sum, factor)) return false;
  sum_ *= factor;
  sum_before_ *= factor;
  for (Node& node : nodes_) node.count *= factor;
  for (uint64_t& before : before_) before *= factor;
  for (uint64_t& start : starts_) start *= factor;
  return true;
}

// ---- stacks that come sorted, and those that are not to be sorted
// ----------------------------------
uint32_t FlameTree::walk(const Stack& stack) {
  path_.resize(stack.shared);
  uint32_t node = path_.empty() ? kRoot : path_.back();
  size_t begin = 0;
  for (const Mark& mark : stack.marks) {
    const std::string_view name = stack.text.substr(begin, mark.end - begin);
    node = child_in_order(node, path_.size(), name, mark.name_hash);
    path_.push_back(node);
    begin = mark.end + size_t{1};
  }
  return node;
}

// Fetches what interning the names of the stacks behind stacks[at] will look at.
void FlameTree::expect_names(std::span<const Stack> stacks, size_t at) const {
  if (at + 6 < stacks.size())
    for (const Mark& mark : stacks[at + 6].marks) names_.fetch_slot(mark.name_hash);
  if (at + 4 < stacks.size())
    for (const Mark& mark : stacks[at + 4].marks) names_.fetch_entry(mark.name_hash);
  if (at + 2 < stacks.size())
    for (const Mark& mark : stacks[at + 2].marks) names_.fetch_text(mark.name_hash);
}

// Sorted, a frame that the stack before does not have can only be there already as one whose name
// is the beginning of those that came since: `a 1`, `a.x 1`, `a;b 1`.
uint32_t FlameTree::child_in_order(uint32_t parent, size_t depth, std::string_view name,
                                   uint32_t hash) {
  if (order_ == Order::input) return append(parent, name, hash);
  if (depth >= beginnings_.size()) beginnings_.resize(depth + 1);
  Beginnings& beginnings = beginnings_[depth];
  while (!beginnings.empty() && (nodes_[beginnings.back()].parent != parent ||
                                 !name.starts_with(this->name(beginnings.back()))))
    beginnings.pop_back();
  if (!beginnings.empty() && this->name(beginnings.back()).size() == name.size())
    return beginnings.back();
  beginnings.push_back(append(parent, name, hash));
  return beginnings.back();
}

// ---- stacks in any order
// ---------------------------------------------------------------------------
void FlameTree::make_table() {
  std::vector<uint32_t>().swap(path_);
  std::vector<Beginnings>().swap(beginnings_);
  table_.add(StackMarker::root_hash());
  for (uint32_t i = 1; i < size(); ++i)
    table_.add(StackMarker::extended_hash(table_.hash_of(nodes_[i].parent),
                                          StackMarker::name_hash(name(i))));
}

// How much of each stack is in the tree: a beginning is, if a longer one is.
void FlameTree::find(std::span<const Stack> stacks, std::span<Found> found) const {
  std::array<size_t, kGroup> most;
  for (size_t i = 0; i < stacks.size(); ++i) {
    found[i] = {0, kRoot};
    most[i] = stacks[i].marks.size();
  }
  for (bool searching = true; searching;) {
    searching = false;
    for (size_t i = 0; i < stacks.size(); ++i)
      if (found[i].depth < most[i])
        table_.prefetch(stacks[i].marks[(found[i].depth + most[i]) / 2].hash);
    for (size_t i = 0; i < stacks.size(); ++i) {
      if (found[i].depth >= most[i]) continue;
      const size_t middle = (found[i].depth + most[i]) / 2;
      const uint32_t node = table_.find_likely(stacks[i].marks[middle].hash);
      if (node != kNone)
        found[i] = {middle + 1, node};
      else
        most[i] = middle;
      searching = searching || found[i].depth < most[i];
    }
  }
  const auto each_new = [&](auto fetch) {
    for (size_t i = 0; i < stacks.size(); ++i)
      for (const Mark& mark : stacks[i].marks.subspan(found[i].depth)) fetch(mark);
  };
  each_new([this](const Mark& mark) { names_.fetch_slot(mark.name_hash); });
  each_new([this](const Mark& mark) {
    table_.prefetch(mark.hash);
    names_.fetch_entry(mark.name_hash);
  });
  for (size_t i = 0; i < stacks.size(); ++i) table_.prefetch_hash(found[i].node);
  each_new([this](const Mark& mark) { names_.fetch_text(mark.name_hash); });
}

FlameTree::Found FlameTree::find_one_by_one(const Stack& stack) const {
  Found found{0, kRoot};
  for (; found.depth < stack.marks.size(); ++found.depth) {
    const uint32_t node = table_.find(stack.marks[found.depth].hash);
    if (node == kNone) break;
    found.node = node;
  }
  return found;
}

// The node of `stack`, of which `found` was in the tree; more may have come since.
uint32_t FlameTree::grow(const Stack& stack, Found found) {
  const std::span<const Mark> marks = stack.marks;
  if (found.depth > 0 && table_.hash_of(found.node) != marks[found.depth - 1].hash)
    found = find_one_by_one(stack);
  uint32_t node = found.node;
  bool known = true;
  for (size_t i = found.depth; i < marks.size(); ++i) {
    if (known) {
      const uint32_t next = table_.find(marks[i].hash);
      known = next != kNone;
      if (known) {
        node = next;
        continue;
      }
    }
    const size_t begin = i == 0 ? 0 : marks[i - 1].end + size_t{1};
    node = append(node, stack.text.substr(begin, marks[i].end - begin), marks[i].name_hash);
    table_.add(marks[i].hash);
  }
  return node;
}

// ---- the finished tree
// -----------------------------------------------------------------------------
void FlameTree::finish() {
  table_.clear();
  gather_children();
  // a child is always younger than its parent, so one pass from the back sums everything up
  for (size_t i = size(); i-- > 1;) nodes_[nodes_[i].parent].count += nodes_[i].count;
  if (!differential_) return;
  totals_before_.assign(size(), 0);
  for (size_t i = size(); i-- > 0;) {
    totals_before_[i] += before_[i];
    if (i > 0) totals_before_[nodes_[i].parent] += totals_before_[i];
  }
}

void FlameTree::gather_children() {
  const uint32_t count = size();
  // first how many children each has, then where they end, then, filled from the back, begin
  first_child_.assign(count + size_t{1}, 0);
  for (uint32_t i = 1; i < count; ++i) ++first_child_[nodes_[i].parent];
  for (uint32_t i = 1; i <= count; ++i) first_child_[i] += first_child_[i - 1];
  children_.assign(count, 0);
  for (uint32_t i = count; i-- > 1;) children_[--first_child_[nodes_[i].parent]] = i;
  if (order_ == Order::input) return;

  // By what a sorted file has behind the name: the blank before a count, or the ';' before more
  // frames. So `a.x` is left of an `a` that only goes on, as in flamegraph.pl.
  std::vector<uint32_t> order(size_t{2} * names_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    const std::string_view x = names_[a / 2], y = names_[b / 2];
    const size_t size = std::min(x.size(), y.size());
    const int difference = x.substr(0, size).compare(y.substr(0, size));
    if (difference != 0) return difference < 0;
    const auto byte_at = [size](std::string_view text, uint32_t i) {
      if (text.size() > size) return static_cast<int>(static_cast<unsigned char>(text[size]));
      return static_cast<int>(i % 2 == 0 ? ' ' : ';');
    };
    const int left = byte_at(x, a), right = byte_at(y, b);
    return left != right ? left < right : x.size() < y.size();
  });
  std::vector<uint32_t> rank(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  const auto rank_of = [&](uint32_t node) {
    // not yet summed up
    const bool own = nodes_[node].count > 0 || self_before(node) > 0;
    return rank[2 * name_id(node) + (own ? 0 : 1)];
  };
  const auto is_left = [&](uint32_t a, uint32_t b) { return rank_of(a) < rank_of(b); };
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t* first = children_.begin() + first_child_[i];
    uint32_t* last = children_.begin() + first_child_[i + 1];
    if (last - first > 1 && !std::is_sorted(first, last, is_left)) std::sort(first, last, is_left);
  }
}

void reverse_stack(std::string_view stack, std::string& out) {
  out.clear();
  stack = stack.substr(0, stack.find_last_not_of(';') + 1);
  for (;;) {
    const size_t semicolon = stack.rfind(';');
    if (semicolon == std::string_view::npos) break;
    out.append(stack.substr(semicolon + 1));
    out += ';';
    stack = stack.substr(0, semicolon);
  }
  out.append(stack);
}

}  // namespace aiflame
