// SPDX-License-Identifier: MIT
// By slice: the time in which it was the innermost one of its thread.
//
// A slice may outlast the one that it stands on: `with record_function("step"):` begins a range
// inside of __enter__(), and all that follows stands on the range:
//
//   |-- __enter__ --|
//          |-- step ---------------------|
//                      |-- aten::mm --|
#pragma once

#include <cstdint>
#include <vector>

#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

// The slices must be sorted as join/nesting.h leaves them.
std::vector<int64_t> own_times(const Trace& trace);

// When to ask for the stack of a slice's own time: its beginning, or where it outlasts what it
// stands on, its middle. So what it outlasts by a rounding is still below it.
int64_t stack_time(const Trace& trace, const Slice& slice);

}  // namespace aiflame::trace
