// SPDX-License-Identifier: MIT
#include "plugins/agents/cupti/node_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace aiflame::agent::cupti {
namespace {

const char kOne = 0, kOther = 0;

TEST(NodeTable, HasWhatWasPutAndClonesOfIt) {
  const auto table = std::make_unique<NodeTable>();
  EXPECT_EQ(table->find(7), nullptr);
  EXPECT_EQ(table->find(0), nullptr);
  table->put({7, nullptr, &kOne, &kOther});
  table->clone(7, 8);
  table->clone(8, 9);
  ASSERT_NE(table->find(9), nullptr);
  EXPECT_EQ(table->find(9)->id, 9u);
  EXPECT_EQ(table->find(9)->function, &kOne);
  EXPECT_EQ(table->find(9)->made_at, &kOther);
  EXPECT_EQ(table->count(), 3u);
  // of a node that is not known, or one without an id, nothing is
  table->clone(100, 101);
  table->put({});
  EXPECT_EQ(table->count(), 3u);
}

TEST(NodeTable, AChangedNodeKeepsItsClones) {
  const auto table = std::make_unique<NodeTable>();
  table->put({7, nullptr, &kOne, nullptr});
  table->clone(7, 8);
  table->put({7, nullptr, &kOther, nullptr});
  EXPECT_EQ(table->find(7)->function, &kOther);
  ASSERT_NE(table->find(8), nullptr);
  EXPECT_EQ(table->find(8)->function, &kOne);
}

TEST(NodeTable, ForgetsClonesButForThoseThatRunAFunction) {
  const auto table = std::make_unique<NodeTable>();
  table->put({7, nullptr, &kOne, nullptr});
  table->put({70, nullptr, &kOne, nullptr});
  table->clone(7, 8);
  table->clone(8, 9);
  table->clone(70, 71);
  table->forget_clones(9, &kOne);
  EXPECT_EQ(table->count(), 5u);
  table->forget_clones(9, &kOther);
  EXPECT_EQ(table->find(8), nullptr);
  EXPECT_EQ(table->find(9), nullptr);
  EXPECT_NE(table->find(7), nullptr);
  EXPECT_NE(table->find(71), nullptr);
  table->forget_all_clones();
  EXPECT_EQ(table->find(71), nullptr);
  EXPECT_EQ(table->count(), 2u);
}

TEST(NodeTable, TheOldestGoWithTheirClones) {
  const auto table = std::make_unique<NodeTable>();
  table->put({1, nullptr, &kOne, nullptr});
  table->clone(1, 2);
  for (uint64_t id = 3; id <= NodeTable::kMost; ++id) table->put({id, nullptr, &kOther, nullptr});
  EXPECT_EQ(table->count(), NodeTable::kMost);
  table->put({NodeTable::kMost + 1, nullptr, &kOther, nullptr});
  EXPECT_EQ(table->find(1), nullptr);
  EXPECT_EQ(table->find(2), nullptr);
  EXPECT_EQ(table->count(), NodeTable::kMost - 1);
  // the clone's place is free
  table->put({NodeTable::kMost + 2, nullptr, &kOther, nullptr});
  EXPECT_EQ(table->count(), NodeTable::kMost);
  // the place of the new clone is that of its own original
  table->clone(3, NodeTable::kMost + 3);
  EXPECT_EQ(table->find(3), nullptr);
  EXPECT_EQ(table->find(NodeTable::kMost + 3), nullptr);
  EXPECT_NE(table->find(4), nullptr);
}

}  // namespace
}  // namespace aiflame::agent::cupti
