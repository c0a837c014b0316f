/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/launch_calls.h"

#include <cstddef>

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
  // CUPTI points to the arguments where the runtime has put them, which is on the stack
  constexpr uintptr_t kReach = 1 << 16;
  const auto at = reinterpret_cast<uintptr_t>(arguments);
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const bool on_stack = at > here && at - here < kReach && at % alignof(void*) == 0;
  if (arguments == nullptr) return function;
  if (known.launches == Launches::first || (known.launches == Launches::first_presumed && on_stack))
    function.handle = arguments[0];
  if (known.launches == Launches::second) function.handle = arguments[1];
  return function;
}

}  // namespace aiflame::agent::cupti
