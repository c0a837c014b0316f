// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/probed_kernels.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(ProbedKernels, AHandleIsOfItsKernelUntilTheLastReferenceIsReleased) {
  Budgets budgets;
  ProbedKernels kernels;
  kernels.create(7, 0x10, "forces", budgets);
  kernels.retain(7, 0x10);
  kernels.release(7, 0x10, budgets);
  EXPECT_EQ(kernels.name(7, 0x10), "forces");
  EXPECT_EQ(kernels.name(8, 0x10), "");
  kernels.release(7, 0x10, budgets);
  // another kernel may have it now, created where no probe is
  EXPECT_EQ(kernels.name(7, 0x10), "");
  EXPECT_EQ(budgets.used(), 0u);
  kernels.release(7, 0x10, budgets);
}

TEST(ProbedKernels, ANameThatTheProgramAsksForIsLearnt) {
  Budgets budgets;
  ProbedKernels kernels;
  kernels.learn(7, 0x10, "forces", budgets);
  EXPECT_EQ(kernels.name(7, 0x10), "forces");
  kernels.create(7, 0x20, "integrate", budgets);
  kernels.retain(7, 0x20);
  kernels.learn(7, 0x20, "integrate", budgets);
  kernels.release(7, 0x20, budgets);
  EXPECT_EQ(kernels.name(7, 0x20), "integrate");
}

TEST(ProbedKernels, AChildHasItsParentsHandles) {
  Budgets budgets;
  ProbedKernels kernels;
  kernels.create(7, 0x10, "forces", budgets);
  kernels.fork(7, 8, budgets);
  kernels.forget(7);
  EXPECT_EQ(kernels.name(8, 0x10), "forces");
  EXPECT_EQ(kernels.name(7, 0x10), "");
}

TEST(ProbedKernels, AreWithinTheirBudget) {
  Budgets budgets;
  ProbedKernels kernels;
  for (uint64_t handle = 1; handle <= 1000000; ++handle)
    kernels.create(7, handle, "forces", budgets);
  EXPECT_LE(budgets.used(Kept::probes), Budgets::total(Kept::probes));
  EXPECT_EQ(kernels.name(7, 1), "forces");
  EXPECT_EQ(kernels.name(7, 1000000), "");
}

}  // namespace
}  // namespace aiflame::record
