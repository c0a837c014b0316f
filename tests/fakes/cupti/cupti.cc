/* SPDX-License-Identifier: MIT */
// The parts of CUPTI other than PC sampling: callbacks and activity records.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/fakes/cupti/cupti_fake.h"
#include "tests/fakes/cupti/cupti_state.h"

namespace fake_cuda {
namespace {

// The newest record that the headers have.
#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityKernel10;
using SubscriberParams = CUpti_SubscriberParams;
#else
using Record = CUpti_ActivityKernel9;
using aiflame::agent::cupti::SubscriberParams;
#endif

// There is one subscriber at a time; its handle is its number.
std::mutex subscriber_mutex;
std::condition_variable subscriber_gone;
uintptr_t subscriptions = 0;
std::atomic<CUpti_CallbackFunc> subscriber_function{nullptr};
// By domain and callback. A table, because the time of launches is measured.
constexpr uint32_t kMaxId = 1024;
std::atomic<bool> enabled[CUPTI_CB_DOMAIN_SIZE][kMaxId];
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
CUpti_TimestampCallbackFunc timestamp = nullptr;
std::atomic<bool> kernels_on{false}, copies_on{false}, fills_on{false};
std::atomic<bool> has_given_up{false};
std::atomic<uint64_t> dropped{0};
std::mutex runs_mutex;
// The client flushes activity at the start of each of its reads.
std::condition_variable flushed;
uint64_t flushes = 0;
constexpr std::chrono::seconds kPatience{20};
// A buffer of the client, and the kernels that have a place in it from their launch on.
struct Buffer {
  uint8_t* bytes = nullptr;
  size_t room = 0;
  std::vector<Run> runs;
};
// Each thread that launches has one (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER).
std::map<std::thread::id, Buffer> filling;
std::deque<Buffer> full;

// The default clock of the real CUPTI.
uint64_t realtime() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// Converts a moment of the device to the clock that records use.
uint64_t on_clock(uint64_t monotonic) {
  const bool is_theirs = timestamp != nullptr && knob("realtime") == 0;
  uint64_t clock = 0, now = 0;
  // Both clocks are read at once, so that a wait for a core is not taken for a difference of them.
  constexpr int kTries = 100;
  constexpr uint64_t kAtOnceNs = 1000;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = now_ns();
    clock = is_theirs ? timestamp() : realtime();
    now = now_ns();
    if (now - before < kAtOnceNs) break;
  }
  return clock - (now - monotonic);
}

// Called in any thread, also while the subscriber unsubscribes.
void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  const CUpti_CallbackFunc function = subscriber_function.load();
  if (function != nullptr && !has_fallen_silent()) function(nullptr, domain, id, data);
}
bool is_subscriber(CUpti_SubscriberHandle handle) {
  return subscriber_function.load() != nullptr &&
         reinterpret_cast<uintptr_t>(handle) == subscriptions;
}

void on_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
             const char* name, const char* symbol, const void* params, Context* context,
             uint32_t correlation, uint64_t* from_enter_to_exit, int* result) {
  if (!enabled[domain][id].load(std::memory_order_relaxed)) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = name;
  data.symbolName = symbol;
  data.functionParams = knob("no_params") == 0 ? params : nullptr;
  // the runtime makes a context current in a thread's first call
  const bool has_context =
      knob("late_context") == 0 || domain != CUPTI_CB_DOMAIN_RUNTIME_API || site != CUPTI_API_ENTER;
  data.context = reinterpret_cast<CUcontext>(has_context ? context : nullptr);
  data.correlationId = correlation;
  data.correlationData = from_enter_to_exit;
  data.functionReturnValue = result;
  call_back(domain, id, &data);
}

void on_resource(CUpti_CallbackId id, Context* context, Module* module) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) sampling_module_loaded(*module);
  if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) sampling_module_unloaded(*module);
  // CUPTI calls nothing back for a green context
  if (module == nullptr && knob("green") != 0) return;
  if (!enabled[CUPTI_CB_DOMAIN_RESOURCE][id]) return;
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
  if (!enabled[CUPTI_CB_DOMAIN_RESOURCE][id]) return;
  CUpti_GraphData of_graph = graph;
  CUpti_ResourceData data{};
  data.resourceDescriptor = &of_graph;
  call_back(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void on_run(const Run& run) {
  if (run.function != nullptr) sampling_ran(run);
  const auto& is_on = run.function != nullptr                       ? kernels_on
                      : run.copy.kind == CUPTI_ACTIVITY_KIND_MEMSET ? fills_on
                                                                    : copies_on;
  if (!is_on || knob("no_records") != 0) return;
  const std::lock_guard lock(runs_mutex);
  if (knob("drop_records") != 0 && run.correlation % knob("drop_records") == 0) {
    ++dropped;
    return;
  }
  Buffer& buffer = filling[std::this_thread::get_id()];
  if (buffer.bytes == nullptr) {
    size_t most = 0;
    request(&buffer.bytes, &buffer.room, &most);
    if (reinterpret_cast<uintptr_t>(buffer.bytes) % 8 != 0)
      die("an activity buffer is not aligned");
  }
  if (buffer.bytes == nullptr) {
    ++dropped;
    return;
  }
  buffer.runs.push_back(run);
  if ((buffer.runs.size() + 1) * sizeof(Record) <= buffer.room) return;
  full.push_back(std::exchange(buffer, Buffer{}));
}

// A buffer is ready when all its kernels have ended. A forced read takes it now, and they end now.
bool is_ready(const Buffer& buffer, bool forced) {
  if (buffer.runs.empty()) return false;
  return forced || std::all_of(buffer.runs.begin(), buffer.runs.end(),
                               [](const Run& run) { return run.end <= now_ns(); });
}

void hand_over(const Buffer& buffer) {
  size_t valid = 0;
  for (const Run& run : buffer.runs) {
    if (run.function == nullptr) {
      auto copy = run.copy;
      copy.start = on_clock(run.start);
      copy.end = on_clock(std::min(run.end, now_ns()));
      std::memcpy(buffer.bytes + valid, &copy, sizeof copy);
      valid += sizeof(Record);  // all records are of one size here
      continue;
    }
    Record record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = on_clock(run.start);
    record.end = on_clock(std::min(run.end, now_ns()));
    record.deviceId = run.function->module->context->device;
    record.correlationId = run.correlation;
    record.name = run.function->name.c_str();
    record.graphNodeId = run.graph_node;
    // as cuda_runtime.cc launches: a block for each microsecond
    record.gridX = static_cast<int32_t>((run.end - run.start) / 1000);
    record.gridY = record.gridZ = 1;
    record.blockX = 64;
    record.blockY = 2;
    record.blockZ = 1;
    record.dynamicSharedMemory = 4096;
    std::memcpy(buffer.bytes + valid, &record, sizeof record);
    valid += sizeof record;
  }
  complete(nullptr, 0, buffer.bytes, buffer.room, valid);
}

struct Connected {
  Connected() {
    Hooks* hooks = fake_cuda_hooks();
    hooks->call = on_call;
    hooks->resource = on_resource;
    hooks->graph = on_graph;
    hooks->ran = on_run;
  }
} connected;

}  // namespace

void gave_up(const char* why) {
  {
    const std::lock_guard lock(runs_mutex);
    has_given_up = true;
  }
  flushed.notify_all();
  CUpti_StateData state{};
  state.notification.result = CUPTI_ERROR_OUT_OF_MEMORY;
  state.notification.message = why;
  const auto domain = CUPTI_CB_DOMAIN_STATE;
  if (enabled[domain][CUPTI_CBID_STATE_FATAL_ERROR])
    call_back(domain, CUPTI_CBID_STATE_FATAL_ERROR, &state);
  for (auto& one : enabled[CUPTI_CB_DOMAIN_RUNTIME_API]) one = false;
  for (auto& one : enabled[CUPTI_CB_DOMAIN_DRIVER_API]) one = false;
}

void check_alive() {
  if (has_given_up) die("a call behind its end");
}

void die(const char* what) {
  std::fprintf(stderr, "fake CUPTI: %s\n", what);
  std::abort();
}
}  // namespace fake_cuda

using namespace fake_cuda;

EXPORTED FakeCuptiState fake_cupti_state() {
  return {sampled_contexts(), kernels_on ? 1u : 0u,
          subscriber_function.load() != nullptr ? 1u : 0u};
}

// Waits for a read that starts from now on; it has ended when the next one starts.
EXPORTED void fake_cupti_wait_until_read() {
  std::unique_lock lock(runs_mutex);
  flushed.wait_for(lock, kPatience,
                   [until = flushes + 2] { return flushes >= until || has_given_up; });
}

EXPORTED void fake_cupti_wait_until_unsubscribed() {
  std::unique_lock lock(subscriber_mutex);
  subscriber_gone.wait_for(lock, kPatience, [] { return subscriber_function.load() == nullptr; });
}

EXPORTED CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
  *version = static_cast<uint32_t>(knob("version", 130001));
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* out,
                                             CUpti_CallbackFunc function, void*) {
  if (const uint64_t refused = knob("subscribe"); refused != 0)
    return static_cast<CUptiResult>(refused);
  const std::lock_guard lock(subscriber_mutex);
  if (subscriber_function.load() != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *out = reinterpret_cast<CUpti_SubscriberHandle>(++subscriptions);
  subscriber_function = function;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  check_alive();
  const std::lock_guard lock(subscriber_mutex);
  if (!is_subscriber(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
  subscriber_function = nullptr;
  subscriber_gone.notify_all();
  for (auto& domain : enabled)
    for (auto& one : domain) one = false;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* out,
                                                CUpti_CallbackFunc function, void* data,
                                                SubscriberParams* params) {
  if (params->structSize != sizeof *params) die("Subscribe_v2: size");
  if (knob("subscribe") != 0)
    std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "CUPTI for %s",
                  knob("unnamed") != 0 ? "<not provided>" : "another");
  return cuptiSubscribe(out, function, data);
}

EXPORTED CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable,
                                                  CUpti_SubscriberHandle subscriber,
                                                  CUpti_CallbackDomain domain,
                                                  CUpti_CallbackId id) {
  // CUPTI of CUDA 12 does not know the callbacks that 13 added
  if (knob("version", 130001) < 130000 && domain == CUPTI_CB_DOMAIN_RUNTIME_API && id > 500)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (domain >= CUPTI_CB_DOMAIN_SIZE || id >= kMaxId) return CUPTI_ERROR_INVALID_PARAMETER;
  if (!is_subscriber(subscriber)) return CUPTI_ERROR_INVALID_PARAMETER;
  enabled[domain][id] = enable != 0;
  return CUPTI_SUCCESS;
}

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

EXPORTED CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* out) {
  *out = on_clock(now_ns());
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  timestamp = function;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const uint64_t refused = knob("activity"); refused != 0)
    return static_cast<CUptiResult>(refused);
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) kernels_on = true;
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) copies_on = true;
  if (kind == CUPTI_ACTIVITY_KIND_MEMSET) fills_on = true;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  check_alive();
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) kernels_on = false;
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) copies_on = false;
  if (kind == CUPTI_ACTIVITY_KIND_MEMSET) fills_on = false;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                               CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
  request = funcBufferRequested;
  complete = funcBufferCompleted;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  check_alive();
  const bool forced = (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  std::vector<Buffer> ready;
  {
    const std::lock_guard lock(runs_mutex);
    ++flushes;
    flushed.notify_all();
    for (; !full.empty() && is_ready(full.front(), forced); full.pop_front())
      ready.push_back(std::move(full.front()));
    for (auto& [thread, buffer] : filling)
      if (is_ready(buffer, forced)) ready.push_back(std::exchange(buffer, Buffer{}));
  }
  for (const Buffer& buffer : ready) hand_over(buffer);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                         CUpti_Activity** record) {
  uint8_t* next =
      *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + sizeof(Record);
  if (next + sizeof(Record) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* out) {
  *out = dropped.exchange(0);
  return CUPTI_SUCCESS;
}
