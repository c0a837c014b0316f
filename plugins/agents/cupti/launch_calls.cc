/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/launch_calls.h"

#include <cstddef>
#include <cstring>

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

// What dim3 and three numbers have in common, in the arguments of a call.
LaunchExtent size_in_blocks(const uint32_t (&grid)[3], const uint32_t (&block)[3],
                            uint64_t shared) {
  LaunchExtent size{};
  // a call with other numbers fails
  constexpr uint32_t kMostThreads = 1024, kMostShared = 1 << 20;
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0 || block[i] > kMostThreads) return size;
  if (shared > kMostShared) return size;
  for (int i = 0; i < 3; ++i) {
    size.items[i] = uint64_t{grid[i]} * block[i];
    size.group[i] = block[i];
  }
  size.local_bytes = static_cast<uint32_t>(shared);
  return size;
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

uint32_t enable_launch_callbacks(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  uint32_t enabled = 0;
  for (const LaunchCall& call : kCalls) {
    calls_by_id[call.domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0][call.id] = &call;
    // an older CUPTI does not know the newest
    if (cupti.cuptiEnableCallback(1, subscriber, call.domain, call.id) == CUPTI_SUCCESS) ++enabled;
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
      break;
  }
  return {};
}

}  // namespace aiflame::agent::cupti
