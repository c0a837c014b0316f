// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin_facts.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

// As IGC writes it; the sizes of private memory and spills are of the ZEInfo specification.
const std::string kInfo = R"(---
version:         '1.73'
kernels:
  - name:            tiled
    user_attributes:
      grf_count:       99
    execution_env:
      barrier_count:   1
      grf_count:       256
      simd_size:       32
      slm_size:        2048
      private_size:    512
      spill_size:      64
    payload_arguments:
      - arg_type:        global_id_offset
        grf_count:       7
  - name:            plain
    execution_env:
      grf_count:       128
functions:
  - name:            plain
    execution_env:
      grf_count:       1
)";

TEST(ZebinFacts, OfAKernel) {
  EXPECT_EQ(zebin_facts(kInfo, "tiled"), (KernelFacts{256, 2048, 512, 64}));
  EXPECT_EQ(zebin_facts(kInfo, "plain"), (KernelFacts{128, 0, 0, 0}));
  EXPECT_EQ(zebin_facts(kInfo, "other"), KernelFacts());
}

TEST(ZebinFacts, DamagedText) {
  for (size_t size = 0; size < kInfo.size(); ++size) zebin_facts(kInfo.substr(0, size), "plain");
  EXPECT_EQ(zebin_facts("kernels:\n  - name: k\n    execution_env:\n      grf_count: x\n", "k"),
            KernelFacts());
  EXPECT_EQ(zebin_facts(std::string(100000, '\n') + std::string(100000, ':'), "k"), KernelFacts());
}

}  // namespace
}  // namespace aiflame
