// SPDX-License-Identifier: MIT
// Operator graphs of NeuSight: CSV with a row for each node of a model,
//
//   Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
//   addmm,Linear,"[['Linear', (4096, 1280, 3840)]]",[],[],{'view'},{'view_1'},"[(3840,), (4096,
//   1280), (1280, 3840)]","(4096, 3840)"
//
// with the operators of the forward pass, of the backward pass, and of adding up gradients.
#pragma once

#include <string_view>

#include "libcommon/io/input.h"
#include "tools/aiflame-forecast/graph.h"

namespace aiflame::forecast {

// How such a file begins.
inline constexpr std::string_view kGraphHeader = "Name,OpName,FwOps";

// Throws Error with its path:line.
Graph read_graph(ByteSource&& source);

}  // namespace aiflame::forecast
