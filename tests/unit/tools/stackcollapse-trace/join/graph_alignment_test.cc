// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/graph_alignment.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

using Quality = GraphAlignment::Quality;
using Places = std::vector<uint32_t>;

TEST(GraphAlignment, NamesThatAgreeAreAlignedByPosition) {
  const GraphAlignment aligned = align_graph({1, 2, 3, 2}, {1, 2, 3, 2});
  EXPECT_EQ(aligned.quality, Quality::by_position);
  EXPECT_EQ(aligned.launches, (Places{0, 1, 2, 3}));
  EXPECT_EQ(aligned.matched, 4u);
}

TEST(GraphAlignment, ACaptureWithoutNamesAgreesIfItHasAsManyLaunches) {
  const GraphAlignment aligned = align_graph({1, 2}, {kNoName, kNoName});
  EXPECT_EQ(aligned.quality, Quality::by_count);
  EXPECT_EQ(aligned.launches, (Places{0, 1}));
  EXPECT_EQ(align_graph({1, 2}, {kNoName}).quality, Quality::none);
  // copies have a name
  EXPECT_EQ(align_graph({1, 7}, {kNoName, 7}).quality, Quality::by_count);
  EXPECT_EQ(align_graph({7, 1}, {kNoName, 7}).quality, Quality::none);
}

TEST(GraphAlignment, KernelsOfSeveralStreamsAreAlignedByTheOrderOfTheirNames) {
  // the second stream began first
  const GraphAlignment aligned = align_graph({5, 6, 1, 2, 1}, {1, 2, 5, 1, 6});
  EXPECT_EQ(aligned.quality, Quality::by_name);
  EXPECT_EQ(aligned.launches, (Places{2, 4, 0, 1, 3}));
  EXPECT_EQ(aligned.matched, 5u);
}

TEST(GraphAlignment, WhichOfEqualKernelsWasLostIsNotGuessed) {
  // of 2 one is lost: after 1, or between 3 and 4
  EXPECT_EQ(align_graph({1, 3, 2, 4}, {1, 2, 3, 2, 4}).launches, (Places{0, 2, 3, 4}));
  EXPECT_EQ(align_graph({1, 2, 4}, {1, 2, 2, 4}).launches, (Places{0, kNoLaunch, 3}));
  EXPECT_EQ(align_graph({1, 2, 4}, {1, 2, 2, 4}).matched, 2u);
}

TEST(GraphAlignment, AKernelThatWasNotCapturedHasNoLaunch) {
  EXPECT_EQ(align_graph({1, 9, 2}, {1, 2}).launches, (Places{0, kNoLaunch, 1}));
}

TEST(GraphAlignment, AnotherGraphIsNotAligned) {
  const GraphAlignment aligned = align_graph({1, 7, 8}, {1, 2, 3});
  EXPECT_EQ(aligned.quality, Quality::none);
  EXPECT_EQ(aligned.matched, 0u);
  EXPECT_EQ(align_graph({}, {}).quality, Quality::none);
  EXPECT_EQ(align_graph({1}, {}).quality, Quality::none);
}

}  // namespace
}  // namespace aiflame::trace
