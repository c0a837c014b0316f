// SPDX-License-Identifier: MIT
// Instructions of NVIDIA GPUs as nvdisasm prints them (pure):
//
//         /*0030*/              @!P0 EXIT ;
//         /*0040*/                   IMAD.WIDE.U32 R2, R0, 0x4, R2 ;
//         /*0050*/                   BRA `(.L_x_0);
//
// Lines that do not begin with an offset are labels, directives and, with -hex, the second half of
// an encoding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// The mnemonics of that many instructions of 16 bytes, in their order; empty where the listing has
// none. What it has behind them, or between two of them, is left out.
std::vector<std::string> parse_sass_listing(std::string_view listing, size_t instructions);

}  // namespace aiflame
