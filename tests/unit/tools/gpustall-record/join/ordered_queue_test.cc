// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/ordered_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace aiflame::record {
namespace {

using Item = std::pair<int, int>;  // time, number

bool is_earlier(const Item& one, const Item& other) {
  return one.first < other.first;
}

// As std::stable_sort() has them, whatever was added between the looks.
void expect_sorted(const std::vector<Item>& items, size_t looks_after) {
  OrderedQueue<Item, is_earlier> queue;
  std::vector<Item> waiting;
  const auto take = [&](size_t count) {
    queue.sort();
    std::stable_sort(waiting.begin(), waiting.end(), is_earlier);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_FALSE(queue.empty());
      EXPECT_EQ(queue.front(), waiting[i]);
      queue.pop_front();
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
  };
  for (const Item& item : items) {
    queue.add(item);
    waiting.push_back(item);
    if (waiting.size() == looks_after) take(looks_after / 2);
  }
  take(waiting.size());
  EXPECT_TRUE(queue.empty());
}

TEST(OrderedQueue, ItemsComeOutInTheirOrder) {
  std::mt19937 random(1);
  for (const unsigned jitter : {0U, 3U, 30U, 10000U}) {
    SCOPED_TRACE(jitter);
    std::vector<Item> items;
    for (int i = 0; i < 5000; ++i)
      items.emplace_back(i / 2 + (jitter == 0 ? 0 : static_cast<int>(random() % jitter)), i);
    expect_sorted(items, 5000);
    expect_sorted(items, 100);
  }
}

TEST(OrderedQueue, AHostileOrderCostsOneSortALook) {
  std::vector<Item> items;
  for (int i = 0; i < 100000; ++i) items.emplace_back(-i, i);
  expect_sorted(items, 200000);
}

}  // namespace
}  // namespace aiflame::record
