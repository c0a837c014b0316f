// SPDX-License-Identifier: MIT
// Long strings that share most of their bytes with their neighbours, sorted.
#pragma once

#include "tools/aiflame-diff/stack_table.h"

namespace aiflame {

// Bytewise. The stacks are all different.
void sort_stacks(GrowingArray<StackTable::Row>& rows);

}  // namespace aiflame
