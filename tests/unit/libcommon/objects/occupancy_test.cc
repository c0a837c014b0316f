// SPDX-License-Identifier: MIT
// Expected values of NVIDIA's are those of cudaOccMaxActiveBlocksPerMultiprocessor() of CUDA 13.0's
// cuda_occupancy.h, times the warps of a block, of the multiprocessor's warps.
#include "libcommon/objects/occupancy.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

std::string of(const std::optional<UnitLimits>& unit, uint64_t registers, uint64_t local,
               uint64_t group, uint64_t dynamic = 0) {
  const KernelFacts facts{registers, local, std::nullopt, std::nullopt};
  const Occupancy out = occupancy(unit.value(), facts, {{1 << 20, 1, 1}, {group, 1, 1}, dynamic});
  return out.percent ? std::to_string(*out.percent) + " " + out.limit : "-";
}

TEST(Occupancy, Nvidia) {
  EXPECT_EQ(of(nvidia_limits(80), 32, 0, 256), "100 ");
  EXPECT_EQ(of(nvidia_limits(80), 34, 0, 256), "75 registers");
  EXPECT_EQ(of(nvidia_limits(80), 255, 0, 256), "12 registers");
  EXPECT_EQ(of(nvidia_limits(80), 32, 40000, 256), "50 local memory");
  EXPECT_EQ(of(nvidia_limits(80), 32, 0, 256, 40000), "50 local memory");
  EXPECT_EQ(of(nvidia_limits(80), 32, 0, 32), "50 group");
  EXPECT_EQ(of(nvidia_limits(75), 16, 5000, 32), "37 local memory");
  EXPECT_EQ(of(nvidia_limits(90), 32, 1024, 1024), "100 ");
  EXPECT_FALSE(nvidia_limits(35));
}

TEST(Occupancy, Amd) {
  EXPECT_EQ(of(amd_limits("gfx942"), 20, 0, 256), "100 ");
  EXPECT_EQ(of(amd_limits("gfx942"), 128, 0, 256), "50 registers");
  EXPECT_EQ(of(amd_limits("gfx906"), 128, 0, 64), "20 registers");
  EXPECT_EQ(of(amd_limits("gfx942"), 64, 32768, 256), "25 local memory");
  EXPECT_FALSE(amd_limits("gfx1100"));
}

TEST(Occupancy, Intel) {
  KernelFacts facts;
  EXPECT_EQ(intel_occupancy(facts).percent, std::nullopt);
  facts.registers = 128;
  EXPECT_EQ(intel_occupancy(facts).percent, 100u);
  facts.registers = 256;
  EXPECT_EQ(intel_occupancy(facts).percent, 50u);
  EXPECT_EQ(intel_occupancy(facts).limit, "registers");
}

TEST(Occupancy, NothingIsSaidOfWhatCannotBe) {
  EXPECT_EQ(of(nvidia_limits(80), 32, 0, 0), "-");  // the group is not known
  EXPECT_EQ(of(nvidia_limits(80), 32, 0, 2048), "-");
  EXPECT_EQ(of(nvidia_limits(80), UINT64_MAX, 0, 32), "-");
  EXPECT_EQ(of(nvidia_limits(80), 32, UINT64_MAX, 32), "-");
  EXPECT_EQ(of(nvidia_limits(80), 32, 1, 32, UINT64_MAX), "-");
  EXPECT_EQ(of(nvidia_limits(80), 255, 0, 1024), "-");  // could not be launched
}

}  // namespace
}  // namespace aiflame
