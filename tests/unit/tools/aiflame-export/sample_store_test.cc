// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/sample_store.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame::exporter {
namespace {

// More than a block, in two ranges.
TEST(SampleStore, GivesBackWhatWasAdded) {
  std::mt19937 random(1);
  std::vector<Sample> samples(30000);
  for (Sample& sample : samples) {
    for (auto depth = 1 + random() % 9; depth > 0; --depth)
      sample.frames.push_back(static_cast<uint32_t>(random() % 3));
    if (random() % 2 == 0) sample.labels.push_back({static_cast<uint32_t>(random() % 4), 7});
    sample.count = {uint64_t{random()} << 20, static_cast<unsigned>(random() % 3)};
  }
  SampleStore store;
  std::vector<SampleRange> ranges;
  for (size_t part = 0; part < 2; ++part) {
    store.begin();
    for (size_t i = 0; i < 15000; ++i) store.add(samples[part * 15000 + i]);
    ranges.push_back(store.end());
  }
  store.finish();
  for (const size_t part : {size_t{1}, size_t{0}, size_t{1}}) {
    SampleReader reader(store, ranges[part]);
    Sample sample;
    for (size_t i = 0; i < 15000; ++i) {
      ASSERT_TRUE(reader.next(sample));
      const Sample& wanted = samples[part * 15000 + i];
      ASSERT_EQ(sample.frames, wanted.frames);
      ASSERT_EQ(sample.labels, wanted.labels);
      ASSERT_EQ(sample.count.value, wanted.count.value);
      ASSERT_EQ(sample.count.decimals, wanted.count.decimals);
    }
    EXPECT_FALSE(reader.next(sample));
  }
}

TEST(SampleStore, AnEmptyRangeHasNone) {
  SampleStore store;
  store.begin();
  const SampleRange range = store.end();
  store.finish();
  Sample sample;
  EXPECT_FALSE(SampleReader(store, range).next(sample));
}

}  // namespace
}  // namespace aiflame::exporter
