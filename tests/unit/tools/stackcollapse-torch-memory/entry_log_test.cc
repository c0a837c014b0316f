// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/entry_log.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame::torch_memory {
namespace {

bool is_equal(const Entry& a, const Entry& b) {
  return a.action == b.action && a.address == b.address && a.size == b.size && a.time == b.time &&
         a.stack == b.stack && a.group == b.group;
}

TEST(EntryLog, GivesBackWhatItTook) {
  const std::vector<Entry> entries = {
      {Action::alloc, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX},
      {Action::free_completed, 0, 0, 0, 0, 0},
      {Action::other, 0, 0, 7, 0, 0},
      {Action::segment_add, 0, 2097152, 1, 0, 0},
      {Action::segment_remove, 0, 1, 2, 0, 0},
      {Action::out_of_memory, 4096, 8192, 3, 0, 0},
      {Action::annotate, uint64_t{1} << 63, 0, 4, 0, 5},
  };
  EntryLog log;
  for (uint32_t i = 0; i < entries.size(); ++i) EXPECT_EQ(log.add(entries[i]), i);
  EntryLog::Reader reader(log, 0);
  for (const Entry& entry : entries) EXPECT_TRUE(is_equal(reader.next(), entry));
}

TEST(EntryLog, IsReadFromAnywhere) {
  std::mt19937_64 random(1);
  std::vector<Entry> entries;
  EntryLog log;
  for (int i = 0; i < 300; ++i) {
    Entry entry{Action::alloc,
                random() >> (random() % 64),
                random() >> (random() % 64),
                random() >> (random() % 64),
                static_cast<uint32_t>(random()),
                static_cast<uint32_t>(random())};
    entries.push_back(entry);
    log.add(entry);
  }
  ASSERT_EQ(log.size(), 300U);
  for (uint32_t first = 0; first < 300; ++first) {
    EntryLog::Reader reader(log, first);
    for (uint32_t i = first; i < std::min(first + 70, 300U); ++i)
      ASSERT_TRUE(is_equal(reader.next(), entries[i])) << first << " " << i;
  }
}

}  // namespace
}  // namespace aiflame::torch_memory
