// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/time_base.h"

#include <gtest/gtest.h>

namespace aiflame::xplane {
namespace {

constexpr int64_t kEpoch = 1779266702889805563;

Line line_at(int64_t timestamp) {
  Line out;
  out.timestamp = timestamp;
  return out;
}

TEST(TimeBase, TimesSince1970FitIntoPicoseconds) {
  TimeBase times;
  times.add(line_at(kEpoch + 5));
  times.add(line_at(kEpoch));
  const EventName name;
  const Event event{.offset = 7, .duration = 3, .called = name, .facts = name.facts};
  EXPECT_EQ(times.begin_of(line_at(kEpoch + 5), event), 5007);
  EXPECT_EQ(times.begin_of(line_at(kEpoch), event), 7);
  // a year
  EXPECT_EQ(times.begin_of(line_at(kEpoch + 365L * 86400 * 1000000000), event), std::nullopt);
}

TEST(TimeBase, EventsWithoutATimeAreLostByName) {
  TimeBase times;
  times.add(line_at(0));
  const EventName name;
  ImportedStacks stacks;
  const auto find = [&](int64_t offset, int64_t duration, bool is_sum) {
    const Event event{offset, duration, is_sum, name, name.facts};
    return find_interval(times, line_at(0), event, stacks).has_value();
  };
  EXPECT_TRUE(find(0, 0, false));
  EXPECT_FALSE(find(0, -1, false));
  EXPECT_FALSE(find(0, 1, true));
  EXPECT_FALSE(find(INT64_MAX, 1, false));
  EXPECT_FALSE(find(INT64_MIN, 1, false));
  EXPECT_FALSE(find(0, INT64_MAX, false));
  EXPECT_NE(stacks.line().find("negative durations"), std::string::npos);
}

TEST(Nanoseconds, TheirSumIsExact) {
  Nanoseconds whole;
  uint64_t sum = 0;
  for (int i = 0; i < 1000; ++i) sum += whole.of(1234);
  EXPECT_EQ(sum, 1234U);
  EXPECT_EQ(Nanoseconds().of(999), 0U);
}

}  // namespace
}  // namespace aiflame::xplane
