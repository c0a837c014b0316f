/* SPDX-License-Identifier: MIT */
// What CUPTI hears of the driver, and its questions about names and ids.
#include <cstdio>
#include <cstdlib>

#include "tests/fakes/cupti/cupti_fake.h"

namespace fake_cuda {
namespace {

void on_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
             const char* name, const char* symbol, const void* params, Context* context,
             uint32_t correlation, uint64_t* from_enter_to_exit, int* result) {
  if (!is_enabled(domain, id)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = name;
  data.symbolName = symbol;
  data.functionParams = knob("no_params") == 0 ? params : nullptr;
  // the runtime makes a context current in a thread's first call
  const bool has_context =
      knob("late_context") == 0 || domain != CUPTI_CB_DOMAIN_RUNTIME_API || site != CUPTI_API_ENTER;
  data.context = reinterpret_cast<CUcontext>(has_context ? context : nullptr);
  data.correlationId = told_correlation(correlation, false);
  data.correlationData = from_enter_to_exit;
  data.functionReturnValue = result;
  call_back(domain, id, &data);
}

void on_resource(CUpti_CallbackId id, Context* context, Module* module) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) sampling_module_loaded(*module);
  if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) sampling_module_unloaded(*module);
  // CUPTI calls nothing back for a green context
  if (module == nullptr && knob("green") != 0) return;
  if (!is_enabled(CUPTI_CB_DOMAIN_RESOURCE, id)) return;
  CUpti_ResourceData data{};
  data.context = reinterpret_cast<CUcontext>(context);
  CUpti_ModuleResourceData of_module{};
  if (module != nullptr) {
    of_module.moduleId = module->id;
    of_module.cubinSize = module->bytes.size();
    of_module.pCubin = module->bytes.data();
    data.resourceDescriptor = &of_module;
  }
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void on_graph(CUpti_CallbackId id, const CUpti_GraphData& graph) {
  if (!is_enabled(CUPTI_CB_DOMAIN_RESOURCE, id)) return;
  CUpti_GraphData of_graph = graph;
  CUpti_ResourceData data{};
  data.resourceDescriptor = &of_graph;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

struct Connected {
  Connected() {
    Hooks* hooks = fake_cuda_hooks();
    hooks->call = on_call;
    hooks->resource = on_resource;
    hooks->graph = on_graph;
    hooks->ran = record_run;
  }
} connected;

}  // namespace

void die(const char* what) {
  std::fprintf(stderr, "fake CUPTI: %s\n", what);
  std::abort();
}
}  // namespace fake_cuda

using namespace fake_cuda;

EXPORTED CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
                                                   const char** name) {
  struct Named {
    CUpti_CallbackDomain domain;
    uint32_t id;
    const char* name;
  };
  static constexpr Named kNames[] = {
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, "cudaMemcpy_v3020"},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
       "cudaMemcpyAsync_ptsz_v7000"},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
       "cudaMemsetAsync_v3020"},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc_v3020"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
       "cuMemcpyHtoDAsync_v2"},
      {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000,
       "cudaLaunchHostFunc_v10000"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, "cuLaunchHostFunc"},
      {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize"},
  };
  for (const Named& one : kNames)
    if (one.domain == domain && one.id == id) *name = one.name;
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, uint32_t* device) {
  *device = reinterpret_cast<Context*>(context)->device;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = reinterpret_cast<const GraphNode*>(node)->id;
  return CUPTI_SUCCESS;
}
