// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/sort_stacks.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace aiflame {
namespace {

// A row, and eight bytes of its stack: comparing these needs no look at the text, which lies
// somewhere in hundreds of megabytes.
struct Item {
  uint64_t key;
  uint32_t row;
};

// Items that agree in their first `depth` bytes.
struct Group {
  Item* begin;
  Item* end;
  size_t depth;
};

class Sorter {
 public:
  explicit Sorter(const GrowingArray<StackTable::Row>& rows) : rows_(rows) {}

  // Multikey quicksort: three parts, less than, equal to and greater than one of the keys. The
  // equal ones go on with their next eight bytes; looking at a stack's bytes more than once is
  // rare. The groups to be done are a list of our own, as a stack of 16 MB would need two million
  // calls.
  void sort(std::vector<Item>& items) {
    groups_.push_back({items.data(), items.data() + items.size(), 0});
    load(groups_.back());
    while (!groups_.empty()) {
      const Group group = groups_.back();
      groups_.pop_back();
      if (group.end - group.begin <= kFew)
        sort_few(group);
      else
        divide(group);
    }
  }

 private:
  // below this the text itself is compared
  static constexpr std::ptrdiff_t kFew = 12;
  // how many stacks further on their bytes are asked for
  static constexpr std::ptrdiff_t kAhead = 16;

  // The bytes of a stack from `depth` on, zeros behind its end, as a number that compares like
  // them.
  uint64_t key(const Item& item, size_t depth) const {
    const std::string_view stack = rows_[item.row].stack();
    if (stack.size() <= depth) return 0;
    uint64_t bytes = 0;
    std::memcpy(&bytes, stack.data() + depth, std::min<size_t>(8, stack.size() - depth));
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    return bytes;
  }

  void load(const Group& group) const {
    for (Item* item = group.begin; item != group.end; ++item) {
      if (group.end - item > kAhead) {
        const StackTable::Row& row = rows_[item[kAhead].row];
        if (row.size > group.depth) __builtin_prefetch(row.text + group.depth);
      }
      item->key = key(*item, group.depth);
    }
  }

  void sort_few(const Group& group) const {
    std::sort(group.begin, group.end, [&](const Item& a, const Item& b) {
      return a.key != b.key ? a.key < b.key : rows_[a.row].stack() < rows_[b.row].stack();
    });
  }

  // Which one nobody can foresee who writes a file that shall be slow to sort, since the hashes are
  // others in each run. The order that comes out does not depend on it.
  uint64_t any_key(const Group& group) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    chance_ = (chance_ ^ rows_[group.begin->row].hash) * kFactor + 1;
    return group.begin[(chance_ >> 32) % static_cast<uint64_t>(group.end - group.begin)].key;
  }

  static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

  void divide(const Group& group) {
    const uint64_t pivot = median(any_key(group), any_key(group), any_key(group));
    Item* less = group.begin;
    Item* greater = group.end;
    for (Item* at = group.begin; at < greater;) {
      if (at->key < pivot)
        std::swap(*at++, *less++);
      else if (at->key > pivot)
        std::swap(*at, *--greater);
      else
        ++at;
    }
    add({group.begin, less, group.depth});
    add({greater, group.end, group.depth});
    // A stack that ends within the eight bytes comes before those that go on, and the shorter one
    // first: they differ in zeros that the key cannot tell from the end.
    const size_t depth = group.depth + 8;
    const auto ends = [&](const Item& item) { return rows_[item.row].size <= depth; };
    Item* longer = std::partition(less, greater, ends);
    std::sort(less, longer,
              [&](const Item& a, const Item& b) { return rows_[a.row].size < rows_[b.row].size; });
    add({longer, greater, depth});
    if (longer != greater) load(groups_.back());
  }

  void add(const Group& group) {
    if (group.begin != group.end) groups_.push_back(group);
  }

  const GrowingArray<StackTable::Row>& rows_;
  std::vector<Group> groups_;
  uint64_t chance_ = 0;
};

}  // namespace

void sort_stacks(GrowingArray<StackTable::Row>& rows) {
  const auto less = [](const StackTable::Row& a, const StackTable::Row& b) {
    return a.stack() < b.stack();
  };
  if (std::is_sorted(rows.begin(), rows.end(), less)) return;
  std::vector<Item> items(rows.size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = {0, static_cast<uint32_t>(i)};
  Sorter(rows).sort(items);
  GrowingArray<StackTable::Row> sorted;
  StackTable::Row* row = sorted.extend(rows.size());
  for (const Item& item : items) *row++ = rows[item.row];
  rows = std::move(sorted);
}

}  // namespace aiflame
