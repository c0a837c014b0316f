// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/category.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(Category, OfAllVendorsAndAges) {
  EXPECT_EQ(role_of("kernel"), Role::kernel);
  EXPECT_EQ(role_of("Kernel"), Role::kernel);
  EXPECT_EQ(role_of("gpu_memcpy"), Role::copy);
  EXPECT_EQ(role_of("Memset"), Role::fill);
  for (const char* name : {"cuda_runtime", "cuda_driver", "xpu_runtime", "xpu_driver", "hpu_op",
                           "mtia_runtime", "privateuse1_driver", "Runtime"})
    EXPECT_EQ(role_of(name), Role::runtime) << name;
  EXPECT_EQ(role_of("Operator"), Role::op);
  EXPECT_EQ(role_of("Flow_H2D_42_0"), Role::launch_flow);
  EXPECT_EQ(role_of("CL_Flow_H2D_42_0"), Role::launch_flow);
  EXPECT_EQ(role_of("Flow_D2H_42_0"), Role::skipped);
  EXPECT_EQ(role_of(""), Role::unnamed);
  EXPECT_EQ(role_of("overhead"), Role::skipped);
  EXPECT_EQ(role_of("a new compiler's"), Role::unknown);
}

}  // namespace
}  // namespace aiflame::trace
