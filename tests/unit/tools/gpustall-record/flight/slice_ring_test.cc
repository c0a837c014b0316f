// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/slice_ring.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::record {
namespace {

RecordedSlice slice(uint64_t end, std::vector<uint32_t> launches, uint64_t bytes = 100) {
  RecordedSlice out;
  out.end = end;
  out.text = std::string(bytes, '.');
  out.launches = std::move(launches);
  out.counts.launches = out.launches.size();
  return out;
}

std::string take(SliceRing& ring) {
  std::string text;
  ring.take_all([&](const RecordedSlice& one, const std::string& launches) {
    text += std::to_string(one.end) + "(" + launches + ")";
  });
  return text;
}

TEST(SliceRing, DropsWhatIsTooOldAndForgetsItsLaunches) {
  SliceRing ring(1 << 20, 20);
  ring.define(1, "one");
  ring.push(slice(10, {1}));
  ring.define(2, "two");
  ring.push(slice(20, {2}));
  EXPECT_TRUE(ring.has_launch(1));
  ring.push(slice(30, {2}));
  EXPECT_FALSE(ring.has_launch(1));
  EXPECT_EQ(ring.dropped().launches, 1u);
  EXPECT_EQ(take(ring), "20(two)30()");
  EXPECT_FALSE(ring.has_launch(2));
  EXPECT_EQ(ring.bytes(), 0u);
  EXPECT_EQ(ring.dropped().launches, 1u);
}

TEST(SliceRing, ALaunchThatTheSliceDoesNotNameIsForgotten) {
  SliceRing ring(1 << 20, 0);
  ring.define(1, "one");
  ring.push(slice(10, {}));
  EXPECT_FALSE(ring.has_launch(1));
}

TEST(SliceRing, StaysWithinItsBytesAndKeepsTheLatest) {
  SliceRing ring(10000, 0);
  for (uint32_t i = 1; i < 10000; ++i) {
    ring.define(i, std::string(i % 300, 's'));
    ring.push(slice(i, {i}, 50 + i % 100));
    ASSERT_LE(ring.bytes(), 10000u);
  }
  EXPECT_TRUE(ring.is_cut());
  ring.push(slice(10000, {}, 20000));
  EXPECT_EQ(take(ring), "10000()");
  EXPECT_EQ(ring.bytes(), 0u);
}

TEST(SliceRing, ObjectsOfDroppedSlicesStayInTheOrderOfTheirLoads) {
  SliceRing ring(1 << 20, 10);
  RecordedSlice first = slice(10, {});
  first.objects = {{{0, 1, 0x2000}, "a"}, {{0, 1, 0x1000}, "b"}, {{0, 1, 0x3000}, "c"}};
  ring.push(first);
  EXPECT_EQ(ring.objects().text(), "");
  RecordedSlice second = slice(20, {});
  second.objects = {{{0, 1, 0x2000}, ""}, {{0, 1, 0x3000}, "d"}};
  ring.push(second);
  EXPECT_EQ(ring.objects().text(), "abc");
  ring.push(slice(30, {}));
  EXPECT_EQ(ring.objects().text(), "bd");
}

}  // namespace
}  // namespace aiflame::record
