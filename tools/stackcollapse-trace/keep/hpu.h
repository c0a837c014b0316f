// SPDX-License-Identifier: MIT
// What PyTorch writes of Intel's Gaudi (ProfilerActivity.HPU). Written from what readers of such
// files look at, not tried on a genuine file.
//
//   {"ph":"X","cat":"hpu_op","name":"add_fwd_f32","pid":0,"tid":7003,"ts":1150.000,"dur":40.000,
//    "args":{"HW event name":"TPC_SPU_START_TO_SPU_HALT","EventName":"Add_42",
//            "recipeName":"graph_7"}}
//
// The same category has the calls of the host, which are in another process than 0. Nothing numbers
// launches: what a device did was launched by the last call before it that names the same recipe,
// as a compiled graph is called here.
#pragma once

#include <string_view>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// Whether an engine of the device did it.
bool is_hpu_work(const Event& event);

// A number for joining calls and work by their recipe; kNoId: none is named.
uint64_t hpu_correlation(const Event& event, Trace& trace);

// The compiled graph, its node, and the engine.
uint32_t hpu_stack(const Event& event, ImportedStacks& stacks);

}  // namespace aiflame::trace
