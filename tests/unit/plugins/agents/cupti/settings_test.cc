// SPDX-License-Identifier: MIT
#include "plugins/agents/cupti/settings.h"

#include <gtest/gtest.h>

namespace aiflame::agent::cupti {
namespace {

TEST(Settings, OfTheRecordersText) {
  const Settings none = parse_settings(nullptr);
  EXPECT_FALSE(none.sample);
  EXPECT_FALSE(parse_settings("other interval=10").sample);
  EXPECT_FALSE(parse_settings("").sample);
  const Settings all =
      parse_settings("cupti interval=250 period=4096 mode=exact duty=10 place=0000:3d:00.0");
  EXPECT_TRUE(all.sample);
  EXPECT_TRUE(all.exact);
  EXPECT_EQ(all.interval_ms, 250u);
  EXPECT_EQ(all.period_log2, 12u);
  EXPECT_EQ(all.duty, 10u);
  EXPECT_STREQ(all.place, "0000:3d:00.0");
}

TEST(Settings, OfNonsenseAreThoseOfNothing) {
  const Settings odd = parse_settings(
      "cupti interval=1 period=1 mode= duty=0 duty=101 "
      "place=0123456789012345678901234567890123456789"
      "0123456789 what =3 interval==");
  EXPECT_TRUE(odd.sample);
  EXPECT_FALSE(odd.exact);
  EXPECT_EQ(odd.interval_ms, 100u);
  EXPECT_EQ(odd.period_log2, 0u);
  EXPECT_EQ(odd.duty, 100u);
  EXPECT_STREQ(odd.place, "");
  EXPECT_EQ(parse_settings("cupti interval=99999999999999999999").interval_ms, 100u);
  EXPECT_EQ(parse_settings("cupti period=99999999999").period_log2, 31u);
}

}  // namespace
}  // namespace aiflame::agent::cupti
