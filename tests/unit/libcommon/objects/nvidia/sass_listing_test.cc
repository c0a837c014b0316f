// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_listing.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

using Code = std::vector<SassInstruction>;

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

TEST(SassListing, MnemonicsOperandsAndGuards) {
  EXPECT_EQ(parse_sass_listing(kListing, 6),
            (Code{{"LDC", "R1, c[0x0][0x28]", ""},
                  {"S2R", "R0, SR_TID.X", ""},
                  {"LDG.E.64.CONSTANT", "R2, desc[UR4][R2.64]", "@!P0"},
                  {"UIADD3", "UR4, UR4, 0x1, URZ", "@UP1"},
                  {"BRA", "`(.L_x_0)", ""},
                  {"NOP", "", ""}}));
}

TEST(SassListing, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(parse_sass_listing(kListing, 2),
            (Code{{"LDC", "R1, c[0x0][0x28]", ""}, {"S2R", "R0, SR_TID.X", ""}}));
  EXPECT_EQ(parse_sass_listing("/*0010*/ EXIT ;\n/*0018*/ NOP ;\n/*0030*/ NOP ;", 3),
            (Code{{}, {"EXIT", "", ""}, {}}));
  for (const char* none :
       {"", "NOP ;", "/*0000*/", "/*0000*/ ;", "/*0000", "/**/ NOP ;", "/*0000*/ @P0",
        "/*0000*/ <b>x</b> ;", "/* 0000 */ NOP ;", "/*10000000000000000*/ NOP ;", "/*0000*/ nop ;"})
    EXPECT_TRUE(parse_sass_listing(none, 3).empty()) << none;
}

}  // namespace
}  // namespace aiflame
