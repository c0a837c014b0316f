/* SPDX-License-Identifier: MIT
 *
 * The CUPTI agent. The CUDA driver loads it when it starts in a program, by CUDA_INJECTION64_PATH,
 * and calls InitializeInjection(). It subscribes to CUPTI's callbacks and reports to
 * gpustall-record
 *   - the launches, with their CPU stacks (launches.h), and when they ran (kernel_times.h),
 *   - the cubins on the devices (modules.h),
 *   - and, where the recorder wants them, samples of stalled warps (sampler.h).
 * A failure here leaves the program as it was.
 *
 * Where a recorder may come later, the agent waits for it, with nothing of CUPTI in use: a profiler
 * that the program starts has all of it (subscription.h). A recording then begins between two
 * launches. CUPTI does not tell what it would have told before, the content of modules above all
 * (measured on an H100, CUPTI 13.0: no callback comes for modules and contexts that are there
 * already; sampling can be enabled in such a context, and samples name the function of such a
 * module).
 */
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/driver_calls.h"
#include "plugins/agents/cupti/functions.h"
#include "plugins/agents/cupti/graph_files.h"
#include "plugins/agents/cupti/graph_nodes.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/launch_calls.h"
#include "plugins/agents/cupti/launches.h"
#include "plugins/agents/cupti/memory_calls.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/settings.h"
#include "plugins/agents/cupti/subscription.h"
#include "plugins/agents/cupti/worker.h"

namespace aiflame::agent::cupti {
namespace {

pid_t process;
const Cupti* cupti;
Settings settings;

void on_api_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const bool is_entered = call.callbackSite == CUPTI_API_ENTER;
  const LaunchCall* const launch = find_launch_call(domain, id);
  if (launch != nullptr && launch->launches == Launches::nothing) {
    if (is_entered)
      wait_entered(*launch);
    else
      wait_left();
  } else if (launch != nullptr) {
    const bool is_inside = is_launching();
    if (is_entered && !is_inside) {
      context_met(call.context);
      launch_begins();
    }
    if (is_entered)
      launch_entered(*launch, call, device_of(call.context));
    else
      launch_left(*launch, call, device_of(call.context));
    if (!is_entered && is_inside && !is_launching()) launch_ends(call.context);
  } else if (is_driver_call(kFunctionCalls, domain, id)) {
    if (is_entered)
      function_call_entered(call);
    else
      function_call_left(id, call);
  } else if (is_driver_call(kGraphCalls, domain, id)) {
    if (is_entered)
      graph_call_entered(call);
    else
      graph_call_left(id, call);
  } else if (is_driver_call(kInstantiateCalls, domain, id) && !is_entered) {
    graph_instantiated(call);
  } else if (is_driver_call(kMemoryCalls, domain, id)) {
    if (is_entered)
      memory_call_entered(id, call, device_of(call.context));
    else
      memory_call_left(id, call, device_of(call.context));
  }
}

// A call in a signal's handler that has interrupted the agent in its locks. A launch is counted as
// lost, once for the calls within it.
void on_call_while_busy(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                        const CUpti_CallbackData& call) {
  thread_local uint32_t depth = 0;
  const LaunchCall* const launch = find_launch_call(domain, id);
  if (call.callbackSite == CUPTI_API_ENTER && is_driver_call(kMemoryCalls, domain, id))
    count_lost_memory(1);
  if (launch == nullptr || launch->launches == Launches::nothing) return;
  if (call.callbackSite != CUPTI_API_ENTER)
    depth -= depth > 0 ? 1 : 0;
  else if (depth++ == 0)
    count_lost_launches(1);
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& resource) {
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
  const auto* graph = static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      context_created(resource.context);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      context_destroying(resource.context);
      break;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED:
      module_loading(resource.context);
      if (module != nullptr)
        module_loaded(resource.context, module->moduleId, module->pCubin, module->cubinSize,
                      device_of(resource.context));
      break;
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      if (module != nullptr) module_unloading(resource.context, module->moduleId);
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      if (graph != nullptr && graph->nodeType == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        memory_node_created();
      if (graph != nullptr &&
          (graph->nodeType == CU_GRAPH_NODE_TYPE_KERNEL ||
           graph->nodeType == CU_GRAPH_NODE_TYPE_GRAPH || is_operation_node(graph->nodeType)))
        node_created(*graph);
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
      if (graph != nullptr) node_cloned(*graph);
      break;
    case kGraphNodeUpdated:
    case kGraphNodeSetParams:
      node_changed();
      break;
    default:
      break;
  }
}

// Called within one of our calls, or in a thread of CUPTI's. The worker does the rest.
void on_state(CUpti_CallbackId id, const CUpti_StateData& state) {
  if (id == CUPTI_CBID_STATE_FATAL_ERROR)
    give_up(state.notification.result, state.notification.message);
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  if (data == nullptr) return;
  const int saved_errno = errno;
  // a forked child has no CUDA, but may destroy what it inherited
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && getpid() != process) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_STATE)
    on_state(id, *static_cast<const CUpti_StateData*>(data));
  else if (is_busy())
    on_call_while_busy(domain, id, *static_cast<const CUpti_CallbackData*>(data));
  else
    on_api_call(domain, id, *static_cast<const CUpti_CallbackData*>(data));
  errno = saved_errno;
}

// The number by which samples name their cubin. CUPTI's own number covers some 24 bytes of it, so
// cubins of one size that differ elsewhere, as an autotuner's do, have the same.
void CUPTIAPI on_compute_crc(const void* cubin, size_t bytes, uint64_t* crc) {
  *crc = hash_bytes(cubin, bytes);
}

constexpr CUpti_CallbackId kResources[] = {CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                                           CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                                           CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                           CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
                                           CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                           CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                                           kGraphNodeUpdated,
                                           kGraphNodeSetParams};

bool has_cupti() {
  if (cupti != nullptr) return true;
  const char* why = nullptr;
  cupti = load_cupti(why);
  if (cupti == nullptr) {
    report_message(why, false);
    return false;
  }
  leave_out(reinterpret_cast<const void*>(cupti->cuptiSubscribe));
  // now, as what CUPTI does at the program's end comes after what is registered later
  std::atexit(finish_worker);
  return true;
}

// Sets CUPTI up. False when it refuses; the recorder has been told why.
bool begin_recording(Begins begins) {
  CUpti_SubscriberHandle subscriber = nullptr;
  if (!has_cupti() || subscribe(*cupti, on_callback, subscriber) != CUPTI_SUCCESS) return false;
  Settings wanted = settings;
  if (wanted.sample && cupti->version < kOldestForSamples) {
    report_message("no samples: this CUPTI is older than that of CUDA 12.4", false);
    wanted.sample = false;
  }
  if (begins == Begins::later) {
    forget_launches();
    forget_modules();
  }
  prepare_worker(*cupti, wanted, subscriber, begins);
  if (cupti->cuptiRegisterComputeCrcCallback(on_compute_crc) != CUPTI_SUCCESS)
    number_by_cupti(*cupti);
  start_graph_nodes(*cupti);
  start_kernel_times(*cupti);
  for (const CUpti_CallbackId id : kResources)
    cupti->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
  // an older CUPTI does not have this domain
  cupti->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR);
  enable_driver_calls(kFunctionCalls, *cupti, subscriber);
  enable_driver_calls(kGraphCalls, *cupti, subscriber);
  if (has_graph_file()) enable_driver_calls(kInstantiateCalls, *cupti, subscriber);
  enable_memory_calls(*cupti, subscriber);
  if (enable_launch_callbacks(*cupti, subscriber, records_host_functions()) == 0)
    report_message("no launches: CUPTI calls back for none", false);
  hold_back();
  return true;
}

void start() {
  process = getpid();
  const void* launch_function = driver_function("cuLaunchKernel");
  if (!connect("cupti", launch_function, Absent::is_looked_for)) return;
  // now, as the program may change its environment
  settings = parse_settings(std::getenv(AGENT_SAMPLE_ENVIRONMENT));
  note_cuda_home();
  note_graph_file();
  const bool is_recorded = !has_recorder_gone();
  if (is_recorded && !begin_recording(Begins::with_the_program) && !awaits_recorder()) return;
  if (!start_worker(begin_recording, is_recorded)) {
    if (is_recorded) report_message("no samples and no device time: no thread can be made", false);
    return;
  }
  std::atexit(finish_worker);  // CUPTI may never be loaded
}

}  // namespace
}  // namespace aiflame::agent::cupti

// The program continues whatever this returns; 1 is success.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  static bool is_started = false;
  const int saved_errno = errno;
  if (!is_started) aiflame::agent::cupti::start();
  is_started = true;
  errno = saved_errno;
  return 1;
}
