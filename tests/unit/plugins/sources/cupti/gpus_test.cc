// SPDX-License-Identifier: MIT
#include "plugins/sources/cupti/gpus.h"

#include <gtest/gtest.h>

namespace aiflame::source::cupti {
namespace {

TEST(NvidiaGpus, AreNamedByTheDriver) {
  EXPECT_EQ(model_in("Model: \t\t NVIDIA H200\nIRQ:   \t\t 11\n"), "NVIDIA H200");
  EXPECT_EQ(model_in("IRQ: 11\nModel:\n"), "");
  EXPECT_EQ(model_in("Modeling: x"), "");
  EXPECT_EQ(model_in(""), "");
}

TEST(NvidiaGpus, AreForAdminsWhereTheDriverSaysSo) {
  EXPECT_TRUE(is_for_admins_only("Mobile: 4294967295\nRmProfilingAdminOnly: 1\n"));
  EXPECT_FALSE(is_for_admins_only("RmProfilingAdminOnly: 0\n"));
  EXPECT_FALSE(is_for_admins_only(""));
}

}  // namespace
}  // namespace aiflame::source::cupti
