/* SPDX-License-Identifier: MIT
 *
 * Finds the function of a graph's kernel node, and the call that made the node; of operations
 * (copies, fills and functions of the host), that call alone. The record of what a graph launched
 * has its node's id (graphNodeId of cupti_activity.h). That is the id of a clone, as instantiating
 * a graph clones its nodes. So both are kept by the node's id, from the call that makes the node,
 * which adds it or launches into a stream that is captured, on to its clones.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/functions.h"
#include "plugins/agents/cupti/kept_calls.h"

namespace aiflame::agent::cupti {

constexpr CUpti_CallbackId kGraphCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemcpyNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemsetNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode,
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
// Whether nodes of this type run an operation that CUPTI has records of.
bool is_operation_node(CUgraphNodeType type);
// A launch of `function` was captured as this node, or an operation; `at` may be null.
void node_captured(const CUpti_GraphData& graph, const Function& function, const KeptCall* at);
void node_cloned(const CUpti_GraphData& graph);
// May be the node of a graph or of its instance: no header says which.
void node_changed();

// The code object of the kernel that a node launched; 0 = not known.
uint64_t object_of_node(uint64_t node, const char* kernel);
// The call that made the node, or null. The first time that no call is known for a kernel's node,
// the user is told.
const KeptCall* captured_at(uint64_t node);
// Whether that is known of any node.
bool has_captures();

}  // namespace aiflame::agent::cupti
