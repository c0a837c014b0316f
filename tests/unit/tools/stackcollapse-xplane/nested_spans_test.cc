// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/nested_spans.h"

#include <gtest/gtest.h>

namespace aiflame::xplane {
namespace {

Span span(int64_t begin, int64_t end) {
  return {.begin = begin, .end = end};
}

TEST(NestedSpans, AnOuterSpanHasTheRestOfItsTime) {
  std::vector<Span> spans{span(10, 20), span(0, 100), span(50, 60), span(52, 58)};
  nest(spans);
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].own, 80U);
  EXPECT_EQ(spans[0].outer, Span::kNone);
  EXPECT_EQ(spans[1].own, 10U);
  EXPECT_EQ(spans[1].outer, 0U);
  EXPECT_EQ(spans[2].own, 4U);
  EXPECT_EQ(spans[3].outer, 2U);
}

TEST(NestedSpans, OfTwoThatBeginAtOnceTheLongerIsOutside) {
  std::vector<Span> spans{span(0, 5), span(0, 9)};
  nest(spans);
  EXPECT_EQ(spans[0].end, 9);
  EXPECT_EQ(spans[0].own, 4U);
  EXPECT_EQ(spans[1].own, 5U);
}

TEST(NestedSpans, ASpanThatOutlastsItsOuterOneTakesWhatBothLast) {
  std::vector<Span> spans{span(0, 10), span(6, 14)};
  nest(spans);
  EXPECT_EQ(spans[0].own, 6U);
  EXPECT_EQ(spans[1].own, 8U);
}

TEST(NestedSpans, NeighboursDoNotNest) {
  std::vector<Span> spans{span(0, 10), span(10, 20)};
  nest(spans);
  EXPECT_EQ(spans[0].own, 10U);
  EXPECT_EQ(spans[1].outer, Span::kNone);
}

}  // namespace
}  // namespace aiflame::xplane
