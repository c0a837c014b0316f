// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-iaprof/profile.h"

#include <gtest/gtest.h>

#include "tests/unit/libcommon/import/damage.h"

namespace aiflame::iaprof {
namespace {

// made by hand
constexpr const char* kProfile =
    "interval\t7\t1.070000\n"
    "string\t1\tapp\n"
    "string\t2\tmain;run(int)\n"
    "kernel\t0xff00\t1\t47\t2\t0\t1\n"
    "eustall\t0xa30\t1\t7\t0\t0\t9\t0\t5\t0\t0\t0\t0\n"
    "metric\tbusy-percent\t9\n"
    "interval\t8\t1.080000\n"
    "kernel\t0xff00\t0\t0\t0\t0\t0\n"
    "eustall\t0x8\t0\t0\t0\t0\t0\t0\t1\t0\t0\t0\t2\n";

TEST(IaprofProfile, Damaged) {
  for (const char* milliseconds : {"", "10"}) {
    ProfileRules rules;
    if (*milliseconds != '\0') rules.by_time = TimeStep(milliseconds);
    const auto read = [&](const std::string& path, ImportedStacks& stacks) {
      read_profile(path, rules, stacks);
    };
    EXPECT_EQ(import_bytes(kProfile, read), "");
    sweep_damage(kProfile, read);
  }
}

}  // namespace
}  // namespace aiflame::iaprof
