// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/digest_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace aiflame::collapse {
namespace {

std::vector<Digest> digests(size_t count) {
  const Digester digester;
  std::vector<Digest> out;
  for (size_t i = 0; i < count; ++i) out.push_back(digester.of(std::to_string(i), 0));
  return out;
}

TEST(DigestTable, FindsWhatWasAddedAndNothingElse) {
  const std::vector<Digest> all = digests(20000);
  DigestTable table;
  for (uint32_t i = 0; i < 10000; ++i) {
    EXPECT_EQ(table.find(all[i]), DigestTable::kNone);
    table.add(all[i], i);
    EXPECT_EQ(table.find(all[i]), i);
  }
  for (uint32_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(table.find(all[i]), i < 10000 ? i : DigestTable::kNone);
}

TEST(DigestTable, KeepsTheFirstNumber) {
  const Digest digest = digests(1)[0];
  DigestTable table;
  table.add(digest, 7);
  table.add(digest, 8);
  EXPECT_EQ(table.find(digest), 7);
}

// A digest that shares some words with another one is not found as that one.
TEST(DigestTable, ComparesAllWords) {
  const Digest digest{{1, 2, 3}};
  DigestTable table;
  table.add(digest, 7);
  for (int word = 0; word < 3; ++word) {
    Digest other = digest;
    other.words[word] += 256;  // the same place, at first
    EXPECT_EQ(table.find(other), DigestTable::kNone);
  }
}

// A thread that looks up while another adds finds the right number or none, even while the table
// grows.
TEST(DigestTable, IsReadWhileItGrows) {
  const std::vector<Digest> all = digests(200000);
  DigestTable table;
  table.share();
  std::atomic<bool> done = false;
  std::atomic<size_t> wrong = 0;
  const auto read = [&](size_t step) {
    // over and over, so that places are read that are just being filled
    for (bool last = false; !last;) {
      last = done;
      for (size_t i = 0; i < all.size(); i += step) {
        const uint32_t number = table.find(all[i]);
        if (number != i && (last || number != DigestTable::kNone)) ++wrong;
      }
    }
  };
  std::vector<std::jthread> readers;
  for (const size_t step : {7u, 101u}) readers.emplace_back(read, step);
  for (uint32_t i = 0; i < all.size(); ++i) table.add(all[i], i);
  done = true;
  readers.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace aiflame::collapse
