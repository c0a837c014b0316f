/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/graph_nodes.h"

#include <atomic>
#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/cupti/driver_calls.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/node_table.h"

namespace aiflame::agent::cupti {
namespace {

const Cupti* cupti;

NodeTable nodes;
std::atomic<bool> any_made_at{false};
std::atomic<bool> is_told{false};  // that there are too many stacks
std::atomic<bool> is_unknown_told{false};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// generation() when the thread entered such a call, plus 1; 0 = it is in none. A call in which a
// recording ended is not heard to return.
thread_local uint32_t in_call;

// 0 = not known.
uint64_t id_of(CUgraphNode node) {
  uint64_t id = 0;
  if (node == nullptr || cupti->cuptiGetGraphNodeId == nullptr ||
      cupti->cuptiGetGraphNodeId(node, &id) != CUPTI_SUCCESS)
    return 0;
  return id;
}

// What a node is made or changed to run: a function, a kernel, or neither.
struct Made {
  CUgraphNode node = nullptr;
  const void* function = nullptr;
  CUcontext context = nullptr;  // null = the current one
};

Made made_of(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) return {};
  return {node, params->func, nullptr};
}
template <typename Params>  // _v2 and _v3
Made made_of(CUgraphNode node, const Params* params) {
  if (params == nullptr) return {};
  if (params->func != nullptr) return {node, params->func, nullptr};
  return {node, params->kern, params->ctx};
}
Made made_of(CUgraphNode node, const CUgraphNodeParams* params) {
  if (params == nullptr) return {};
  if (params->type == CU_GRAPH_NODE_TYPE_KERNEL) return made_of(node, &params->kernel);
  return {is_operation_node(params->type) ? node : nullptr};
}

template <typename Params>
Made added(const void* arguments) {
  const auto& params = *static_cast<const Params*>(arguments);
  return made_of(params.phGraphNode == nullptr ? nullptr : *params.phGraphNode, params.nodeParams);
}
// An operation.
template <typename Params>
Made added_operation(const void* arguments) {
  const auto& params = *static_cast<const Params*>(arguments);
  return {params.phGraphNode == nullptr ? nullptr : *params.phGraphNode};
}
template <typename Params>
Made changed(const void* arguments) {
  const auto& params = *static_cast<const Params*>(arguments);
  return made_of(params.hNode, params.nodeParams);
}

void keep(const Made& made, const Function& function, const KeptCall* at) {
  const uint64_t id = id_of(made.node);
  if (id == 0) return;
  if (at != nullptr)
    any_made_at.store(true, std::memory_order_relaxed);
  else if (!is_told.exchange(true, std::memory_order_relaxed))
    report_message(
        "kernels of some graphs stand on the graph's launch alone: too many distinct "
        "stacks made their nodes",
        false);
  const Lock lock(mutex);
  nodes.put({id, function.context, function.handle, at});
}

// The call that is returning, as a frame: "cuGraphAddKernelNode_v2" is known to users without
// "_v2".
const KeptCall* keep_call(const CUpti_CallbackData& call) {
  constexpr char kObject[] = "[cuda]";
  char front[64 + sizeof kObject];
  const char* name = call.functionName == nullptr ? "" : call.functionName;
  size_t bytes = strnlen(name, 63);
  if (bytes > 3 && std::memcmp(name + bytes - 3, "_v2", 3) == 0) bytes -= 3;
  if (bytes == 0) return nullptr;
  std::memcpy(front, name, bytes);
  front[bytes++] = '\0';
  std::memcpy(front + bytes, kObject, sizeof kObject);
  return keep_capture(front, static_cast<uint32_t>(bytes + sizeof kObject));
}

// The call may have loaded the function's module.
void keep(const Made& made, const CUpti_CallbackData& call) {
  if (made.node == nullptr) return;
  const Function function{made.context == nullptr ? call.context : made.context, made.function,
                          nullptr};
  if (made.function != nullptr && call.correlationData != nullptr)
    learn_from_call(function, *call.correlationData);
  keep(made, function, keep_call(call));
}

// Changes one instance of the node's graph. CUPTI does not say which clone that is.
void change_in_one(const Made& made) {
  const uint64_t id = id_of(made.node);
  if (id == 0 || made.function == nullptr) return;
  const Lock lock(mutex);
  nodes.forget_clones(id, made.function);
}

}  // namespace

bool is_operation_node(CUgraphNodeType type) {
  if (type == CU_GRAPH_NODE_TYPE_HOST) return records_host_functions();
  return type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

void graph_call_entered(const CUpti_CallbackData& call) {
  in_call = generation() + 1;
  if (call.correlationData != nullptr) *call.correlationData = loads();
}

void start_graph_nodes(const Cupti& with) {
  cupti = &with;
  is_unknown_told.store(false);
}

void graph_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  in_call = 0;
  const void* arguments = call.functionParams;
  if (!has_succeeded(call) || arguments == nullptr) return;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode:
      return keep(added<cuGraphAddKernelNode_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2:
      return keep(added<cuGraphAddKernelNode_v2_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode:
      return keep(added<cuGraphAddNode_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddNode_v2:
      return keep(added<cuGraphAddNode_v2_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemcpyNode:
      return keep(added_operation<cuGraphAddMemcpyNode_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemsetNode:
      return keep(added_operation<cuGraphAddMemsetNode_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode:
      if (!is_operation_node(CU_GRAPH_NODE_TYPE_HOST)) return;
      return keep(added_operation<cuGraphAddHostNode_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetParams:
      return keep(changed<cuGraphKernelNodeSetParams_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetParams_v2:
      return keep(changed<cuGraphKernelNodeSetParams_v2_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetParams:
      return keep(changed<cuGraphNodeSetParams_params>(arguments), call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
      return change_in_one(changed<cuGraphExecKernelNodeSetParams_params>(arguments));
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
      return change_in_one(changed<cuGraphExecKernelNodeSetParams_v2_params>(arguments));
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecNodeSetParams:
      return change_in_one(changed<cuGraphExecNodeSetParams_params>(arguments));
    default: {
      // cuGraphExecUpdate() may change any function of a graph, and no header says which
      const Lock lock(mutex);
      return nodes.forget_all_clones();
    }
  }
}

void node_captured(const CUpti_GraphData& graph, const Function& function, const KeptCall* at) {
  keep(Made{graph.node}, function, at);
}

void node_changed() {
  if (in_call == generation() + 1) return;  // graph_call_left() does the work
  const Lock lock(mutex);
  nodes.forget_all_clones();
}

void node_cloned(const CUpti_GraphData& graph) {
  const uint64_t original = id_of(graph.originalNode), id = id_of(graph.node);
  if (original == 0 || id == 0) return;
  const Lock lock(mutex);
  nodes.clone(original, id);
}

uint64_t object_of_node(uint64_t node, const char* kernel) {
  Function function{nullptr, nullptr, kernel};
  {
    const Lock lock(mutex);
    const Node* known = nodes.find(node);
    if (known == nullptr || known->function == nullptr) return 0;
    function.context = static_cast<CUcontext>(const_cast<void*>(known->context));
    function.handle = known->function;
  }
  const uint64_t object = place_of(function).object;
  return object != 0 ? object : object_at(only_module_with(function.context, kernel));
}

const KeptCall* captured_at(uint64_t node) {
  {
    const Lock lock(mutex);
    const Node* known = nodes.find(node);
    if (known != nullptr) return static_cast<const KeptCall*>(known->made_at);
  }
  if (!is_unknown_told.exchange(true, std::memory_order_relaxed))
    report_message(
        "some kernels of graphs stand on the graph's launch alone: where their nodes were made is "
        "not known",
        false);
  return nullptr;
}

bool has_captures() {
  return any_made_at.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent::cupti
