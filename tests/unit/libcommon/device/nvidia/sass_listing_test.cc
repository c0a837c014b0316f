// SPDX-License-Identifier: MIT
#include "libcommon/device/nvidia/sass_listing.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

using Mnemonics = std::vector<std::string>;

// In the form shown in NVIDIA's "CUDA Binary Utilities".
constexpr std::string_view kListing =
    "\n\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90\"\n"
    R"(.text._Z4copyPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;                        /* 0x0000000000007919 */
                                                                             /* 0x000e220000002100 */
        /*0020*/              @!P0 LDG.E.64.CONSTANT R2, desc[UR4][R2.64] ;
        /*0030*/              @UP1 UIADD3 UR4, UR4, 0x1, URZ ;
.L_x_0:
        /*0040*/                   BRA `(.L_x_0);
        /*0050*/                   NOP;
)";

TEST(SassListing, Mnemonics) {
  EXPECT_EQ(parse_sass_listing(kListing, 6),
            (Mnemonics{"LDC", "S2R", "LDG.E.64.CONSTANT", "UIADD3", "BRA", "NOP"}));
}

TEST(SassListing, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(parse_sass_listing(kListing, 2), (Mnemonics{"LDC", "S2R"}));
  EXPECT_EQ(parse_sass_listing("/*0010*/ EXIT ;\n/*0018*/ NOP ;\n/*0030*/ NOP ;", 3),
            (Mnemonics{"", "EXIT", ""}));
  for (const char* none :
       {"", "NOP ;", "/*0000*/", "/*0000*/ ;", "/*0000", "/**/ NOP ;", "/*0000*/ @P0",
        "/*0000*/ <b>x</b> ;", "/* 0000 */ NOP ;", "/*10000000000000000*/ NOP ;", "/*0000*/ nop ;"})
    EXPECT_TRUE(parse_sass_listing(none, 3).empty()) << none;
}

}  // namespace
}  // namespace aiflame
