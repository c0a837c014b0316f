// SPDX-License-Identifier: MIT
#pragma once

#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/fold/stack_table.h"

namespace aiflame::collapse {

// Folded frames and stacks of them, as numbers. All inputs share them.
struct FrameTables {
  FrameTables() { texts.number(""); }  // number 0: no frame

  TextTable texts;  // frames, roots, kernel names, intervals
  StackTable stacks;
};

}  // namespace aiflame::collapse
