/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/launch_calls.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "plugins/agents/common/cuda_driver.h"

namespace aiflame::agent::cupti {
namespace {

#define AIFLAME_RUNTIME_ID(name, id, what) \
  { CUPTI_CB_DOMAIN_RUNTIME_API, id, #name "\0[cuda]", sizeof #name "\0[cuda]", Launches::what }
#define AIFLAME_RUNTIME(name, version, what) \
  AIFLAME_RUNTIME_ID(name, CUPTI_RUNTIME_TRACE_CBID_##name##_##version, what)
#define AIFLAME_DRIVER(name, what)                                                \
  {                                                                               \
    CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, #name "\0[cuda]", \
        sizeof #name "\0[cuda]", Launches::what                                   \
  }
// `<<<>>>` compiles to cudaLaunchKernel up to CUDA 12, and to __cudaLaunchKernel in 13. Programs
// with a default stream per thread use the ptsz twins.
constexpr LaunchCall kCalls[] = {
    AIFLAME_RUNTIME(cudaLaunchKernel, v7000, first),
    AIFLAME_RUNTIME(cudaLaunchKernel_ptsz, v7000, first),
    AIFLAME_RUNTIME(cudaLaunchCooperativeKernel, v9000, first),
    AIFLAME_RUNTIME(cudaLaunchCooperativeKernel_ptsz, v9000, first),
    AIFLAME_RUNTIME(cudaLaunchCooperativeKernelMultiDevice, v9000, several),
    AIFLAME_RUNTIME(cudaLaunchKernelExC, v11060, second),
    AIFLAME_RUNTIME(cudaLaunchKernelExC_ptsz, v11060, second),
    AIFLAME_RUNTIME_ID(__cudaLaunchKernel, kLaunchKernel13, first_presumed),
    AIFLAME_RUNTIME_ID(__cudaLaunchKernel_ptsz, kLaunchKernel13Ptsz, first_presumed),
    AIFLAME_RUNTIME(cudaGraphLaunch, v10000, graph),
    AIFLAME_RUNTIME(cudaGraphLaunch_ptsz, v10000, graph),
    AIFLAME_DRIVER(cuLaunchKernel, first),
    AIFLAME_DRIVER(cuLaunchKernel_ptsz, first),
    AIFLAME_DRIVER(cuLaunchKernelEx, second),
    AIFLAME_DRIVER(cuLaunchKernelEx_ptsz, second),
    AIFLAME_DRIVER(cuLaunchCooperativeKernel, first),
    AIFLAME_DRIVER(cuLaunchCooperativeKernel_ptsz, first),
    AIFLAME_DRIVER(cuLaunchCooperativeKernelMultiDevice, several),
    AIFLAME_DRIVER(cuLaunch, first),
    AIFLAME_DRIVER(cuLaunchGrid, first),
    AIFLAME_DRIVER(cuLaunchGridAsync, first),
    AIFLAME_DRIVER(cuGraphLaunch, graph),
    AIFLAME_DRIVER(cuGraphLaunch_ptsz, graph),
};
#undef AIFLAME_RUNTIME
#undef AIFLAME_RUNTIME_ID
#undef AIFLAME_DRIVER
constexpr uint32_t kMaxCallbackId = 1024;
const LaunchCall* calls_by_id[2][kMaxCallbackId];  // runtime, driver

static_assert(offsetof(cuLaunchKernel_params, f) == 0 && offsetof(cuLaunchGrid_params, f) == 0 &&
              offsetof(cuLaunchCooperativeKernel_params, f) == 0 &&
              offsetof(cuLaunchKernelEx_params, f) == sizeof(void*));

// ---- calls that are found by their names
// ------------------------------------------------------------

// CUDA has some two hundred of these, with their versions and twins.
constexpr size_t kMostNamed = 512, kNameBytes = 56;
struct NamedCall {
  LaunchCall call;
  char front[kNameBytes];  // "cudaMemcpyAsync" 0 "[cuda]" 0
};
NamedCall named_calls[kMostNamed];
size_t named_count = 0;

bool begins_with(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// What the call does; false for other calls. "cudaMemcpyAsync_ptsz_v7000", "cuStreamSynchronize".
bool classify(const char* name, LaunchCall& out) {
  if (!begins_with(name, "cu")) return false;
  const char* const bare = name + (begins_with(name, "cuda") ? 4 : 2);
  out.waits = std::strstr(name, "Async") == nullptr;
  if (begins_with(bare, "Memcpy"))
    out.launches = Launches::copy;
  else if (begins_with(bare, "Memset"))
    out.launches = Launches::fill;
  else if (begins_with(bare, "LaunchHostFunc"))
    out.launches = Launches::host_function;
  else if (std::strstr(name, "Synchronize") != nullptr)
    out.launches = Launches::nothing;
  else
    return false;
  if (out.launches == Launches::host_function) out.waits = false;
  return true;
}

// The length without what programs do not write: the version, and the twins of a default stream per
// thread.
size_t length_in_programs(const char* name) {
  size_t length = std::strlen(name);
  for (const char* mark : {"_v", "_pt"})
    for (const char* at = std::strstr(name, mark); at != nullptr; at = std::strstr(at + 1, mark))
      length = std::min(length, static_cast<size_t>(at - name));
  return length;
}

void add_named_call(CUpti_CallbackDomain domain, uint32_t id, const char* name) {
  LaunchCall made{};
  if (named_count == kMostNamed || !classify(name, made)) return;
  static constexpr char kObject[] = "\0[cuda]";  // the end of the symbol comes first
  const size_t length = length_in_programs(name);
  NamedCall& named = named_calls[named_count];
  if (length + sizeof kObject > kNameBytes) return;
  std::memcpy(named.front, name, length);
  std::memcpy(named.front + length, kObject, sizeof kObject);
  made.domain = domain;
  made.id = id;
  made.front = named.front;
  made.front_bytes = static_cast<uint32_t>(length + sizeof kObject);
  named.call = made;
  calls_by_id[domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0][id] = &named.call;
  ++named_count;
}

void find_named_calls(const Cupti& cupti) {
  if (named_count > 0 || cupti.cuptiGetCallbackName == nullptr) return;
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    for (uint32_t id = 1; id < kMaxCallbackId; ++id) {
      const char* name = nullptr;
      if (cupti.cuptiGetCallbackName(domain, id, &name) == CUPTI_SUCCESS && name != nullptr)
        add_named_call(domain, id, name);
    }
}

// The arguments begin with the function or, of the calls whose second argument that is, with a
// pointer to a structure that begins with the sizes. In both, the runtime's and the driver's order
// is grid, block, shared memory, but the runtime has the kernel's arguments before the last.
LaunchExtent size_at(const char* at, bool is_runtime_call) {
  uint32_t grid[3], block[3];
  std::memcpy(grid, at, sizeof grid);
  std::memcpy(block, at + sizeof grid, sizeof block);
  uint64_t shared = 0;
  if (is_runtime_call) {
    std::memcpy(&shared, at + 32, sizeof shared);
  } else {
    uint32_t bytes = 0;
    std::memcpy(&bytes, at + 24, sizeof bytes);
    shared = bytes;
  }
  return size_in_blocks(grid, block, shared);
}
static_assert(offsetof(cudaLaunchKernel_v7000_params, gridDim) == 8 &&
              offsetof(cudaLaunchKernel_v7000_params, blockDim) == 20 &&
              offsetof(cudaLaunchKernel_v7000_params, sharedMem) == 8 + 32 &&
              offsetof(cuLaunchKernel_params, gridDimX) == 8 &&
              offsetof(cuLaunchKernel_params, blockDimX) == 20 &&
              offsetof(cuLaunchKernel_params, sharedMemBytes) == 8 + 24 &&
              offsetof(cuLaunchCooperativeKernel_params, sharedMemBytes) == 8 + 24 &&
              offsetof(cudaLaunchCooperativeKernel_v9000_params, sharedMem) == 8 + 32);

// CUPTI points to the arguments where the runtime has put them, which is on the stack.
bool is_on_stack(const void* arguments) {
  constexpr uintptr_t kReach = 1 << 16;
  const auto at = reinterpret_cast<uintptr_t>(arguments);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return at > here && at - here < kReach && at % alignof(void*) == 0;
}

}  // namespace

uint32_t enable_launch_callbacks(const Cupti& cupti, CUpti_SubscriberHandle subscriber,
                                 bool with_host_functions) {
  uint32_t enabled = 0;
  for (const LaunchCall& call : kCalls) {
    calls_by_id[call.domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0][call.id] = &call;
    // an older CUPTI does not know the newest
    if (cupti.cuptiEnableCallback(1, subscriber, call.domain, call.id) == CUPTI_SUCCESS) ++enabled;
  }
  find_named_calls(cupti);
  for (size_t i = 0; i < named_count; ++i) {
    const LaunchCall& call = named_calls[i].call;
    if (call.launches != Launches::host_function || with_host_functions)
      cupti.cuptiEnableCallback(1, subscriber, call.domain, call.id);
  }
  return enabled;
}

const LaunchCall* find_launch_call(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return id < kMaxCallbackId ? calls_by_id[domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0][id]
                             : nullptr;
}

Function function_of(const LaunchCall& known, const CUpti_CallbackData& call) {
  const auto* arguments = static_cast<const void* const*>(call.functionParams);
  Function function{call.context, nullptr, call.symbolName};
  const bool on_stack = is_on_stack(arguments);
  if (arguments == nullptr) return function;
  if (known.launches == Launches::first || (known.launches == Launches::first_presumed && on_stack))
    function.handle = arguments[0];
  if (known.launches == Launches::second) function.handle = arguments[1];
  return function;
}

LaunchExtent size_of(const LaunchCall& known, const CUpti_CallbackData& call) {
  const auto* arguments = static_cast<const char*>(call.functionParams);
  const bool is_runtime_call = known.domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (arguments == nullptr) return {};
  switch (known.launches) {
    case Launches::first:
      // cuLaunch and cuLaunchGrid say nothing of blocks
      if (!is_runtime_call && (known.id == CUPTI_DRIVER_TRACE_CBID_cuLaunch ||
                               known.id == CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid ||
                               known.id == CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync))
        return {};
      return size_at(arguments + sizeof(void*), is_runtime_call);
    case Launches::first_presumed:
      return is_on_stack(arguments) ? size_at(arguments + sizeof(void*), true) : LaunchExtent{};
    case Launches::second: {
      // CUlaunchConfig: grid, block, bytes; cudaLaunchConfig_t: grid, block, 8 bytes of bytes
      const char* config = nullptr;
      std::memcpy(&config, arguments, sizeof config);
      return config == nullptr ? LaunchExtent{} : size_at(config, false);
    }
    case Launches::graph:
    case Launches::several:
    case Launches::copy:
    case Launches::fill:
    case Launches::host_function:
    case Launches::nothing:
      break;
  }
  return {};
}

}  // namespace aiflame::agent::cupti
