// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/energy_reading.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(EnergyReading, IsTextThatIsReadAgain) {
  EnergyReading reading{3, "hwmon", "xe, card", 1'500'000'000, 2'000'000'000, 64'103'271};
  EXPECT_EQ(energy_text(reading),
            "energy 3 : hwmon, xe  card, from 1.500000000 to 2.000000000, 64.103271 J");
  const auto read = parse_energy("energy 3", "hwmon, xe card, from 1.5 to 2.0, 64.103271 J");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->counter, 3U);
  EXPECT_EQ(read->name, "xe card");
  EXPECT_EQ(read->stop, 2'000'000'000U);
  EXPECT_EQ(read->microjoules, 64'103'271U);
  EXPECT_FALSE(parse_energy("energy 3", "rapl, core, from 1.5 to 2.0, ? J")->microjoules);
}

TEST(EnergyReading, IsNoOtherText) {
  for (const char* value :
       {"", "rapl", "rapl, core", "rapl, core, from 1 to 2", "rapl, core, from 2 to 1, 3 J",
        "rapl, core, from 1 to 2, -3 J", "rapl, core, from 1 to 2, 3 W",
        "rapl, core, from 1 to 2, 3.0000001 J", ", core, from 1 to 2, 3 J",
        "rapl, , from 1 to 2, 3 J", "rapl, core, from 1 to 2 x, 3 J", "rapl, core, 1 2, 3 J",
        "rapl, core, from 1 to 2, 99999999999999999999 J", "rapl, core, from 1 to 2, 3 J x"})
    EXPECT_FALSE(parse_energy("energy 3", value)) << value;
  EXPECT_FALSE(parse_energy("energy x", "rapl, core, from 1 to 2, 3 J"));
}

}  // namespace
}  // namespace aiflame
