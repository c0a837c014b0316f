// SPDX-License-Identifier: MIT
// What XLA (JAX, TensorFlow) writes into HOST.trace.json.gz. Its events have no category: what they
// are is said by the names of their processes and threads, which may follow later.
//
//   {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}}
//   {"ph":"M","pid":1,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Compute)"}}
//   {"ph":"X","pid":1,"tid":13,"ts":5.25,"dur":12.5,"name":"loop_add_fusion",
//    "args":{"hlo_module":"jit_step","hlo_op":"add.7","name":"jit(step)/jit(main)/mlp/add",
//            "correlation_id":"305"}}
//   {"ph":"X","pid":701,"tid":9,"ts":1.5,"dur":3,"name":"$train.py:41 step"}
#pragma once

#include <string>
#include <string_view>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/keep/frame_names.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// The frames that say where in the program an event of a device comes from: the module, then the
// parts of its path.
uint32_t xla_stack(const Event& event, ImportedStacks& stacks);

// A frame of the host: Python's tracer writes "$train.py:41 step".
uint32_t xla_host_frame(std::string_view name, const NameRules& rules, Kind& kind,
                        ImportedStacks& stacks);

// Once all events are read: events without a category become work of devices, or slices of the
// host.
void sort_out_unnamed(Trace& trace);

}  // namespace aiflame::trace
