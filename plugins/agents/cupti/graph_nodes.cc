/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/graph_nodes.h"

#include <atomic>
#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/cupti/driver_calls.h"
#include "plugins/agents/cupti/modules.h"

namespace aiflame::agent::cupti {
namespace {

const Cupti* cupti;

// By the node's id, which is unique. When more nodes are made than fit, they displace older ones,
// whose kernels are then joined by name.
struct Node {
  uint64_t id;        // 0 = free
  uint64_t original;  // for a clone the id of the original node, else 0
  CUcontext context;
  const void* function;
  const KeptCall* made_at;  // null = not known
};
constexpr uint32_t kNodes = 1 << 17, kProbes = 8;
Node nodes[kNodes];
uint32_t next_to_go;
bool has_clones;
std::atomic<bool> any_made_at{false};
std::atomic<bool> is_told{false};  // that there are too many stacks
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// generation() when the thread entered such a call, plus 1; 0 = it is in none. A call in which a
// recording ended is not heard to return.
thread_local uint32_t in_call;

Node* find(uint64_t id) {
  for (uint32_t probe = 0; probe < kProbes; ++probe)
    if (Node& one = nodes[(mix(0, id) + probe) % kNodes]; one.id == id) return &one;
  return nullptr;
}

void keep(const Node& made) {
  Node* into = find(made.id);
  for (uint32_t probe = 0; probe < kProbes && into == nullptr; ++probe)
    if (Node& one = nodes[(mix(0, made.id) + probe) % kNodes]; one.id == 0) into = &one;
  if (into == nullptr) into = &nodes[(mix(0, made.id) + next_to_go++ % kProbes) % kNodes];
  *into = made;
  has_clones |= made.original != 0;
}

// Forgets the clones of this node, or all for 0, unless they run `function`.
void forget_clones(uint64_t original, const void* function) {
  if (!has_clones) return;
  for (Node& one : nodes)
    if (one.original != 0 && (original == 0 || one.original == original) &&
        (function == nullptr || one.function != function))
      one = Node{};
  if (original == 0) has_clones = false;
}

// 0 = not known.
uint64_t id_of(CUgraphNode node) {
  uint64_t id = 0;
  if (node == nullptr || cupti->cuptiGetGraphNodeId == nullptr ||
      cupti->cuptiGetGraphNodeId(node, &id) != CUPTI_SUCCESS)
    return 0;
  return id;
}

// What a node is made or changed to run: either a function or a kernel.
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
  if (params == nullptr || params->type != CU_GRAPH_NODE_TYPE_KERNEL) return {};
  return made_of(node, &params->kernel);
}

template <typename Params>
Made added(const void* arguments) {
  const auto& params = *static_cast<const Params*>(arguments);
  return made_of(params.phGraphNode == nullptr ? nullptr : *params.phGraphNode, params.nodeParams);
}
template <typename Params>
Made changed(const void* arguments) {
  const auto& params = *static_cast<const Params*>(arguments);
  return made_of(params.hNode, params.nodeParams);
}

void keep(const Made& made, const Function& function, const KeptCall* at) {
  const uint64_t id = id_of(made.node);
  if (id == 0 || function.handle == nullptr) return;
  if (at != nullptr)
    any_made_at.store(true, std::memory_order_relaxed);
  else if (!is_told.exchange(true, std::memory_order_relaxed))
    report_message(
        "kernels of some graphs stand on the graph's launch alone: too many distinct "
        "stacks made their nodes",
        false);
  const Lock lock(mutex);
  keep({id, 0, function.context, function.handle, at});
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
  const Function function{made.context == nullptr ? call.context : made.context, made.function,
                          nullptr};
  if (call.correlationData != nullptr) learn_from_call(function, *call.correlationData);
  keep(made, function, keep_call(call));
}

// Changes one instance of the node's graph. CUPTI does not say which clone that is.
void change_in_one(const Made& made) {
  const uint64_t id = id_of(made.node);
  if (id == 0 || made.function == nullptr) return;
  const Lock lock(mutex);
  const Node* known = find(id);
  forget_clones(known == nullptr || known->original == 0 ? id : known->original, made.function);
}

}  // namespace

void graph_call_entered(const CUpti_CallbackData& call) {
  in_call = generation() + 1;
  if (call.correlationData != nullptr) *call.correlationData = loads();
}

void start_graph_nodes(const Cupti& with) {
  cupti = &with;
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
      return forget_clones(0, nullptr);
    }
  }
}

void node_captured(const CUpti_GraphData& graph, const Function& function, const KeptCall* at) {
  keep(Made{graph.node}, function, at);
}

void node_changed() {
  if (in_call == generation() + 1) return;  // graph_call_left() does the work
  const Lock lock(mutex);
  forget_clones(0, nullptr);
}

void node_cloned(const CUpti_GraphData& graph) {
  const uint64_t original = id_of(graph.originalNode), id = id_of(graph.node);
  if (original == 0 || id == 0) return;
  const Lock lock(mutex);
  const Node* known = find(original);
  if (known == nullptr) return;
  keep({id, known->original == 0 ? original : known->original, known->context, known->function,
        known->made_at});
}

uint64_t object_of_node(uint64_t node, const char* kernel) {
  Function function{nullptr, nullptr, kernel};
  {
    const Lock lock(mutex);
    const Node* known = find(node);
    if (node == 0 || known == nullptr) return 0;
    function.context = known->context;
    function.handle = known->function;
  }
  const uint64_t object = place_of(function).object;
  return object != 0 ? object : object_at(only_module_with(function.context, kernel));
}

const KeptCall* captured_at(uint64_t node) {
  const Lock lock(mutex);
  const Node* known = find(node);
  return node == 0 || known == nullptr ? nullptr : known->made_at;
}

bool has_captures() {
  return any_made_at.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent::cupti
