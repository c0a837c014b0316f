/* SPDX-License-Identifier: MIT
 *
 * The calls that launch, and those by which a program comes to them. This library is loaded into
 * every program of the recorded command, by LD_PRELOAD: it does nothing before cuInit().
 *
 * Here launches are the driver's calls alone. So CUPTI, which serves one profiler in a process as a
 * rule, is left to the program: torch.profiler works.
 */
#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/cuda/events.h"
#include "plugins/agents/cuda/interposed.h"
#include "plugins/agents/cuda/launches.h"

namespace aiflame::agent::cuda {
namespace {

// The order of `calls`, below.
enum Which : uint8_t {
  init,
  get_address,
  get_address_v2,
  launch_kernel,
  launch_kernel_ptsz,
  launch_ex,
  launch_ex_ptsz,
  launch_cooperative,
  launch_cooperative_ptsz,
  launch_graph,
  launch_graph_ptsz,
  synchronize_context,
  synchronize_context_v2,
  synchronize_stream,
  synchronize_stream_ptsz,
  synchronize_event,
  destroy_context,
  destroy_context_v2,
  destroy_green_context,
  reset_primary,
  reset_primary_v2,
  release_primary,
  release_primary_v2,
  kCalls
};
extern Interposed calls[kCalls];

// What a function of ours returns in a program without a driver.
constexpr CUresult kNoDriver = CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;

// Of calls that launch. A launch within another one, as where another library stands between us and
// the driver, is counted once.
thread_local uint32_t depth = 0;

template <typename Function>
Function* theirs(Which which, Way way) {
  return reinterpret_cast<Function*>(const_cast<void*>(driver_s(calls[which], way)));
}

template <Which which, Way way, typename... Arguments>
CUresult launch(CUfunction function, const LaunchExtent& size, CUstream stream,
                Arguments... arguments) {
  using Function = CUresult CUDAAPI(Arguments...);
  Function* const call = theirs<Function>(which, way);
  if (call == nullptr) return kNoDriver;
  if (depth > 0) return call(arguments...);
  const Begun begun = launch_begins(calls[which], function, size, stream);
  depth = depth + 1;
  const CUresult result = call(arguments...);
  depth = depth - 1;
  launch_ends(calls[which], begun, stream, result);
  return result;
}

template <Which which, Way way>
CUresult CUDAAPI on_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                           CUstream stream, void** arguments, void** extra) {
  return launch<which, way>(
      function, size_in_blocks({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared),
      stream, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
      arguments, extra);
}

template <Which which, Way way>
CUresult CUDAAPI on_cooperative_launch(CUfunction function, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared, CUstream stream,
                                       void** arguments) {
  return launch<which, way>(
      function, size_in_blocks({grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared),
      stream, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
      arguments);
}

template <Which which, Way way>
CUresult CUDAAPI on_launch_ex(const CUlaunchConfig* config, CUfunction function, void** arguments,
                              void** extra) {
  LaunchExtent size{};
  if (config != nullptr)
    size = size_in_blocks({config->gridDimX, config->gridDimY, config->gridDimZ},
                          {config->blockDimX, config->blockDimY, config->blockDimZ},
                          config->sharedMemBytes);
  return launch<which, way>(function, size, config == nullptr ? nullptr : config->hStream, config,
                            function, arguments, extra);
}

template <Which which, Way way>
CUresult CUDAAPI on_graph_launch(CUgraphExec graph, CUstream stream) {
  return launch<which, way>(nullptr, {}, stream, graph, stream);
}

template <Way way>
CUresult CUDAAPI on_init(unsigned flags) {
  auto* const call = theirs<CUresult CUDAAPI(unsigned)>(init, way);
  if (call == nullptr) return kNoDriver;
  const CUresult result = call(flags);
  if (result == CUDA_SUCCESS) start(driver_function("cuCtxGetDevice"));
  return result;
}

// The calls after which launches have ended: all have one argument. That of cuCtxSynchronize() came
// with CUDA 13; before, the driver does not look at it.
template <Which which, Way way>
CUresult CUDAAPI on_wait(const void* what) {
  auto* const call = theirs<CUresult CUDAAPI(const void*)>(which, way);
  if (call == nullptr) return kNoDriver;
  const CUresult result = call(what);
  settle_events();
  return result;
}

// cuCtxDestroy() names the context. For the others any may go: they name a device or, by a handle,
// a part of one.
template <Which which, Way way>
CUresult CUDAAPI on_contexts_end(void* of) {
  auto* const call = theirs<CUresult CUDAAPI(void*)>(which, way);
  if (call == nullptr) return kNoDriver;
  constexpr bool is_named = which == destroy_context || which == destroy_context_v2;
  forget_events(is_named ? static_cast<CUcontext>(of) : nullptr);
  return call(of);
}

// The runtime asks for all functions by their names.
void put_ours(const char* name, int version, cuuint64_t flags, void** address) {
  constexpr int kSecondVersion = 12000;  // of cuGetProcAddress()
  if (name == nullptr || address == nullptr || *address == nullptr) return;
  Interposed* found =
      find_asked(name, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0);
  if (found == &calls[get_address] && version >= kSecondVersion) found = &calls[get_address_v2];
  if (found != nullptr) *address = const_cast<void*>(in_place_of(*found, by_lookup, *address));
}

template <Way way>
CUresult CUDAAPI on_get_address(const char* name, void** address, int version, cuuint64_t flags) {
  auto* const call =
      theirs<CUresult CUDAAPI(const char*, void**, int, cuuint64_t)>(get_address, way);
  if (call == nullptr) return kNoDriver;
  const CUresult result = call(name, address, version, flags);
  if (result == CUDA_SUCCESS) put_ours(name, version, flags, address);
  return result;
}

// `found` is a pointer to CUdriverProcAddressQueryResult, which headers before CUDA 12 do not have.
template <Way way>
CUresult CUDAAPI on_get_address_v2(const char* name, void** address, int version, cuuint64_t flags,
                                   void* found) {
  auto* const call =
      theirs<CUresult CUDAAPI(const char*, void**, int, cuuint64_t, void*)>(get_address_v2, way);
  if (call == nullptr) return kNoDriver;
  const CUresult result = call(name, address, version, flags, found);
  if (result == CUDA_SUCCESS) put_ours(name, version, flags, address);
  return result;
}

}  // namespace
}  // namespace aiflame::agent::cuda

// ---- what the dynamic linker finds before the driver's -----------------------------------------

using namespace aiflame::agent::cuda;

#define EXPORTED extern "C" [[gnu::visibility("default")]] CUresult CUDAAPI

#define AIFLAME_LAUNCH(name, which)                                                        \
  EXPORTED name(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,    \
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,     \
                CUstream stream, void** arguments, void** extra) {                         \
    return on_launch<which, by_symbol>(function, grid_x, grid_y, grid_z, block_x, block_y, \
                                       block_z, shared, stream, arguments, extra);         \
  }
#define AIFLAME_COOPERATIVE_LAUNCH(name, which)                                                  \
  EXPORTED name(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,           \
                CUstream stream, void** arguments) {                                             \
    return on_cooperative_launch<which, by_symbol>(function, grid_x, grid_y, grid_z, block_x,    \
                                                   block_y, block_z, shared, stream, arguments); \
  }
#define AIFLAME_LAUNCH_EX(name, which)                                               \
  EXPORTED name(const CUlaunchConfig* config, CUfunction function, void** arguments, \
                void** extra) {                                                      \
    return on_launch_ex<which, by_symbol>(config, function, arguments, extra);       \
  }
#define AIFLAME_GRAPH_LAUNCH(name, which)                    \
  EXPORTED name(CUgraphExec graph, CUstream stream) {        \
    return on_graph_launch<which, by_symbol>(graph, stream); \
  }

AIFLAME_LAUNCH(cuLaunchKernel, launch_kernel)
AIFLAME_LAUNCH(cuLaunchKernel_ptsz, launch_kernel_ptsz)
AIFLAME_LAUNCH_EX(cuLaunchKernelEx, launch_ex)
AIFLAME_LAUNCH_EX(cuLaunchKernelEx_ptsz, launch_ex_ptsz)
AIFLAME_COOPERATIVE_LAUNCH(cuLaunchCooperativeKernel, launch_cooperative)
AIFLAME_COOPERATIVE_LAUNCH(cuLaunchCooperativeKernel_ptsz, launch_cooperative_ptsz)
AIFLAME_GRAPH_LAUNCH(cuGraphLaunch, launch_graph)
AIFLAME_GRAPH_LAUNCH(cuGraphLaunch_ptsz, launch_graph_ptsz)

// CUDA's headers rename some of these.
// NOLINTBEGIN(bugprone-macro-parentheses): the names of templates and types
#define AIFLAME_ONE_ARGUMENT(symbol, type, ours, which)     \
  EXPORTED exported_##which(type argument) __asm__(symbol); \
  CUresult CUDAAPI exported_##which(type argument) {        \
    return ours<which, by_symbol>(argument);                \
  }
// NOLINTEND(bugprone-macro-parentheses)
AIFLAME_ONE_ARGUMENT("cuCtxSynchronize", const void*, on_wait, synchronize_context)
AIFLAME_ONE_ARGUMENT("cuCtxSynchronize_v2", const void*, on_wait, synchronize_context_v2)
AIFLAME_ONE_ARGUMENT("cuStreamSynchronize", const void*, on_wait, synchronize_stream)
AIFLAME_ONE_ARGUMENT("cuStreamSynchronize_ptsz", const void*, on_wait, synchronize_stream_ptsz)
AIFLAME_ONE_ARGUMENT("cuEventSynchronize", const void*, on_wait, synchronize_event)
AIFLAME_ONE_ARGUMENT("cuCtxDestroy", void*, on_contexts_end, destroy_context)
AIFLAME_ONE_ARGUMENT("cuCtxDestroy_v2", void*, on_contexts_end, destroy_context_v2)
AIFLAME_ONE_ARGUMENT("cuGreenCtxDestroy", void*, on_contexts_end, destroy_green_context)
AIFLAME_ONE_ARGUMENT("cuDevicePrimaryCtxReset", void*, on_contexts_end, reset_primary)
AIFLAME_ONE_ARGUMENT("cuDevicePrimaryCtxReset_v2", void*, on_contexts_end, reset_primary_v2)
AIFLAME_ONE_ARGUMENT("cuDevicePrimaryCtxRelease", void*, on_contexts_end, release_primary)
AIFLAME_ONE_ARGUMENT("cuDevicePrimaryCtxRelease_v2", void*, on_contexts_end, release_primary_v2)
#undef AIFLAME_ONE_ARGUMENT

EXPORTED cuInit(unsigned flags) {
  return on_init<by_symbol>(flags);
}
// CUDA's headers declare these two differently from version to version.
EXPORTED get_address_of(const char* name, void** address, int version,
                        cuuint64_t flags) __asm__("cuGetProcAddress");
CUresult CUDAAPI get_address_of(const char* name, void** address, int version, cuuint64_t flags) {
  return on_get_address<by_symbol>(name, address, version, flags);
}
EXPORTED get_address_of_v2(const char* name, void** address, int version, cuuint64_t flags,
                           void* found) __asm__("cuGetProcAddress_v2");
CUresult CUDAAPI get_address_of_v2(const char* name, void** address, int version, cuuint64_t flags,
                                   void* found) {
  return on_get_address_v2<by_symbol>(name, address, version, flags, found);
}

// ---- the table ---------------------------------------------------------------------------------

namespace aiflame::agent::cuda {
namespace {

#define AIFLAME_CALL(symbol, asked, per_thread, exported, ours, ...)  \
  {                                                                   \
    symbol "\0[cuda]", asked,                                         \
        {reinterpret_cast<const void*>(exported),                     \
         reinterpret_cast<const void*>(ours<__VA_ARGS__ by_handle>),  \
         reinterpret_cast<const void*>(ours<__VA_ARGS__ by_lookup>)}, \
        {}, sizeof symbol "\0[cuda]", per_thread                      \
  }
#define AIFLAME_LAUNCHES(name, ours, which)                 \
  AIFLAME_CALL(#name, #name, false, ::name, ours, which, ), \
      AIFLAME_CALL(#name "_ptsz", #name, true, ::name##_ptsz, ours, which##_ptsz, )
#define AIFLAME_ONE(symbol, asked, per_thread, ours, which) \
  AIFLAME_CALL(symbol, asked, per_thread, exported_##which, ours, which, )
// In the order of Which. cuGetProcAddress() gives its second version under its first name.
Interposed calls[kCalls] = {
    AIFLAME_CALL("cuInit", "cuInit", false, ::cuInit, on_init),
    AIFLAME_CALL("cuGetProcAddress", "cuGetProcAddress", false, get_address_of, on_get_address),
    AIFLAME_CALL("cuGetProcAddress_v2", "", false, get_address_of_v2, on_get_address_v2),
    AIFLAME_LAUNCHES(cuLaunchKernel, on_launch, launch_kernel),
    AIFLAME_LAUNCHES(cuLaunchKernelEx, on_launch_ex, launch_ex),
    AIFLAME_LAUNCHES(cuLaunchCooperativeKernel, on_cooperative_launch, launch_cooperative),
    AIFLAME_LAUNCHES(cuGraphLaunch, on_graph_launch, launch_graph),
    AIFLAME_ONE("cuCtxSynchronize", "cuCtxSynchronize", false, on_wait, synchronize_context),
    AIFLAME_ONE("cuCtxSynchronize_v2", "", false, on_wait, synchronize_context_v2),
    AIFLAME_ONE("cuStreamSynchronize", "cuStreamSynchronize", false, on_wait, synchronize_stream),
    AIFLAME_ONE("cuStreamSynchronize_ptsz", "cuStreamSynchronize", true, on_wait,
                synchronize_stream_ptsz),
    AIFLAME_ONE("cuEventSynchronize", "cuEventSynchronize", false, on_wait, synchronize_event),
    AIFLAME_ONE("cuCtxDestroy", "", false, on_contexts_end, destroy_context),
    AIFLAME_ONE("cuCtxDestroy_v2", "cuCtxDestroy", false, on_contexts_end, destroy_context_v2),
    AIFLAME_ONE("cuGreenCtxDestroy", "cuGreenCtxDestroy", false, on_contexts_end,
                destroy_green_context),
    AIFLAME_ONE("cuDevicePrimaryCtxReset", "", false, on_contexts_end, reset_primary),
    AIFLAME_ONE("cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxReset", false, on_contexts_end,
                reset_primary_v2),
    AIFLAME_ONE("cuDevicePrimaryCtxRelease", "", false, on_contexts_end, release_primary),
    AIFLAME_ONE("cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", false, on_contexts_end,
                release_primary_v2),
};
#undef AIFLAME_ONE
#undef AIFLAME_CALL
#undef AIFLAME_LAUNCHES

}  // namespace

Interposed* find_symbol(const char* symbol) {
  for (Interposed& one : calls)
    if (std::strcmp(one.symbol, symbol) == 0) return &one;
  return nullptr;
}

// Where there is no function for a default stream per thread, the other one is meant.
Interposed* find_asked(const char* name, bool is_per_thread) {
  Interposed* found = nullptr;
  for (Interposed& one : calls) {
    if (std::strcmp(one.asked, name) != 0) continue;
    if (found == nullptr || one.is_per_thread == is_per_thread) found = &one;
  }
  return found;
}

}  // namespace aiflame::agent::cuda
