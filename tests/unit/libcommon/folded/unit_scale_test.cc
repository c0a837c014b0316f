// SPDX-License-Identifier: MIT
#include "libcommon/folded/unit_scale.h"

#include <gtest/gtest.h>

#include "libcommon/folded/quantity.h"

namespace aiflame {
namespace {

TEST(UnitScale, ShowsCountsInTheUnitThatFits) {
  EXPECT_EQ(format_quantity(12'345, 0, "ns"), "12.35 us");
  EXPECT_EQ(format_quantity(999, 0, "nJ"), "999 nJ");
  EXPECT_EQ(format_quantity(4'320'000'000'000, 0, "nJ"), "4.320 kJ");
  EXPECT_EQ(format_quantity(9'000'000'000'000'000'000, 0, "nJ"), "9000 MJ");
  EXPECT_EQ(format_quantity(1'250'000'000'000, 0, "nWh"), "1.250 kWh");
  EXPECT_EQ(format_quantity(12'345'678, 1, "ngCO2e"), "1.235 mgCO2e");
  EXPECT_EQ(format_quantity(2'500'000'000'000, 0, "pUSD"), "2.500 USD");
  EXPECT_EQ(format_quantity(1'000, 0, "pEUR"), "1.000 nEUR");
  EXPECT_EQ(format_quantity(1'023, 0, "bytes"), "1,023 bytes");
  EXPECT_EQ(format_quantity(1'024, 0, "bytes"), "1.000 KiB");
  EXPECT_EQ(format_quantity(7'013'335'044, 0, "bytes"), "6.532 GiB");
  EXPECT_EQ(format_quantity(1'048'575, 0, "bytes"), "1.000 MiB");
}

TEST(UnitScale, OtherUnitsHaveNone) {
  for (const char* unit :
       {"", "samples", "pages", "byte", "pusd", "pUSDX", "p", "J", "gCO2e", "us"})
    EXPECT_FALSE(unit_scale(unit)) << unit;
  EXPECT_EQ(format_quantity(1'234, 0, "pages"), "1,234 pages");
}

TEST(UnitScale, IsTextForThePage) {
  EXPECT_EQ(scale_steps(*unit_scale("ns")), "1e+09:s 1e+06:ms 1e+03:us");
  EXPECT_EQ(scale_steps(*unit_scale("pUSD")), "1e+12:USD 1e+09:mUSD 1e+06:uUSD 1e+03:nUSD");
  EXPECT_EQ(scale_steps(*unit_scale("bytes")),
            "1099511627776:TiB 1073741824:GiB 1048576:MiB 1024:KiB");
}

}  // namespace
}  // namespace aiflame
