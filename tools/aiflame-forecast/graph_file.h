// SPDX-License-Identifier: MIT
// Operator graphs of NeuSight: CSV with a row for each node of a model,
//
//   Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
//   addmm,Linear,"[['Linear', (4096, 1280, 3840)]]",[],[],…,"[(3840,), (4096, 1280), (1280,
//   3840)]","(4096, 3840)"
//
// with the operators of the forward pass, of the backward pass, and of adding up gradients. The
// model has one layer; the real one repeats its rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// How such a file begins.
inline constexpr std::string_view kGraphHeader = "Name,OpName,FwOps";

// Calls take(stack, calls, work) for each operator. Throws Error with its path:line.
using TakeWork = std::function<void(const std::string& stack, double calls, const Work& work)>;
void read_graph(ByteSource&& source, uint64_t layers, const TakeWork& take);

}  // namespace aiflame::forecast
