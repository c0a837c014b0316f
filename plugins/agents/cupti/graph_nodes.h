/* SPDX-License-Identifier: MIT
 *
 * Which function a kernel node of a graph runs. A kernel that a graph launches has in its record
 * the id of its node (graphNodeId of cupti_activity.h), which is that of a clone: instantiating a
 * graph clones its nodes. So a node's function is kept by its id, from the call that makes the
 * node - one that adds it, or a launch into a stream that is captured - to its clones.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/functions.h"

namespace aiflame::agent::cupti {

constexpr CUpti_CallbackId kGraphCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
    CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2};
void graph_call_entered(const CUpti_CallbackData& call);
void graph_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call);

void start_graph_nodes(const Cupti& cupti);
// In a launch of `function`, which is captured with it.
void node_captured(const CUpti_GraphData& graph, const Function& function);
void node_cloned(const CUpti_GraphData& graph);
// In no such call: no header says whose node is meant, the graph's or that of one made of it.
void node_changed();

// The code object of the kernel that a node has launched; 0 where it is not known.
uint64_t object_of_node(uint64_t node, const char* kernel);

}  // namespace aiflame::agent::cupti
