// SPDX-License-Identifier: MIT
// Reads the section .nv.info.KERNEL of a cubin: where its switches jump (pure).
#pragma once

#include <string_view>
#include <vector>

#include "libcommon/code/flow_graph.h"

namespace aiflame {

// The jumps through tables, from the offset of the jump (BRX) to that of a target, both in the
// kernel's code. The section is a sequence of attributes: a format, a number and 16 bits, which are
// the size of what follows where the format is 4. Attribute 0x34 (EIATTR_INDIRECT_BRANCH_TARGETS)
// has for each jump its offset, 4 bytes of 0, the number of targets and these:
//
//   04 37 0400 82000000                                             another attribute
//   04 34 1800 10010000 00000000 03000000 50010000 20010000 c0060000
//   |  |  size from              count    to       to       to
std::vector<FlowEdge> indirect_jumps(std::string_view nv_info);

}  // namespace aiflame
