/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/memory_calls.h"

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/handle_map.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/driver_calls.h"

namespace aiflame::agent::cupti {
namespace {

// As programs write it; null for a call that allocates nothing.
const char* name_of(CUpti_CallbackId id) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
      return "cuMemAlloc";
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2:
      return "cuMemAllocPitch";
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged:
      return "cuMemAllocManaged";
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz:
      return "cuMemAllocAsync";
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz:
      return "cuMemAllocFromPoolAsync";
    default:
      return nullptr;
  }
}

// The arguments of all but the pitched one begin with the pointer and the size, and those of frees
// with the address.
struct Arguments {
  const CUdeviceptr* address;
  size_t bytes;
};
static_assert(offsetof(cuMemAlloc_v2_params, dptr) == 0 &&
              offsetof(cuMemAlloc_v2_params, bytesize) == offsetof(Arguments, bytes) &&
              offsetof(cuMemAllocManaged_params, bytesize) == offsetof(Arguments, bytes) &&
              offsetof(cuMemAllocAsync_params, bytesize) == offsetof(Arguments, bytes) &&
              offsetof(cuMemAllocAsync_ptsz_params, bytesize) == offsetof(Arguments, bytes) &&
              offsetof(cuMemAllocFromPoolAsync_params, bytesize) == offsetof(Arguments, bytes) &&
              offsetof(cuMemAllocFromPoolAsync_ptsz_params, bytesize) ==
                  offsetof(Arguments, bytes) &&
              offsetof(cuMemFree_v2_params, dptr) == 0 &&
              offsetof(cuMemFreeAsync_params, dptr) == 0 &&
              offsetof(cuMemFreeAsync_ptsz_params, dptr) == 0);

// What the driver has put where the arguments point to. False when that is nothing.
bool read_allocation(CUpti_CallbackId id, const void* params, Allocation& made) {
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2) {
    const auto& pitched = *static_cast<const cuMemAllocPitch_v2_params*>(params);
    if (pitched.dptr == nullptr || pitched.pPitch == nullptr) return false;
    made.address = *pitched.dptr;
    made.bytes = *pitched.pPitch * pitched.Height;
    return true;
  }
  const auto& arguments = *static_cast<const Arguments*>(params);
  if (arguments.address == nullptr) return false;
  made.address = *arguments.address;
  made.bytes = arguments.bytes;
  return true;
}

// The driver's functions; null in a driver without them.
CUresult(CUDAAPI* get_current_device)(CUdevice*);
CUresult(CUDAAPI* get_total_bytes)(size_t*, CUdevice);
CUresult(CUDAAPI* get_address_range)(CUdeviceptr*, size_t*, CUdeviceptr);
// The second takes null for the thread's default stream, as the calls do whose names end so.
CUresult(CUDAAPI* get_capture)(CUstream, CUstreamCaptureStatus*);
CUresult(CUDAAPI* get_capture_ptsz)(CUstream, CUstreamCaptureStatus*);

bool is_capturing(decltype(get_capture) ask, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ask != nullptr && ask(stream, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

// Whether the call goes into a graph: it allocates and frees nothing, as each launch of the graph
// will. Only a call that is ordered in a stream can.
bool is_captured(CUpti_CallbackId id, const void* params) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
      return is_capturing(get_capture, static_cast<const cuMemAllocAsync_params*>(params)->hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz:
      return is_capturing(get_capture_ptsz,
                          static_cast<const cuMemAllocAsync_ptsz_params*>(params)->hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
      return is_capturing(get_capture,
                          static_cast<const cuMemAllocFromPoolAsync_params*>(params)->hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz:
      return is_capturing(get_capture_ptsz,
                          static_cast<const cuMemAllocFromPoolAsync_ptsz_params*>(params)->hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
      return is_capturing(get_capture, static_cast<const cuMemFreeAsync_params*>(params)->hStream);
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return is_capturing(get_capture_ptsz,
                          static_cast<const cuMemFreeAsync_ptsz_params*>(params)->hStream);
    default:
      return false;
  }
}

// Each recorder is told once: the generation() of the last one, plus one.
constexpr uint32_t kDevices = 64;
std::atomic<uint32_t> sized_generation[kDevices];

void report_size(uint32_t device) {
  const uint32_t now = generation() + 1;
  if (device >= kDevices || sized_generation[device].load(std::memory_order_relaxed) == now) return;
  CUdevice current = 0;
  size_t bytes = 0;
  if (get_current_device == nullptr || get_total_bytes == nullptr ||
      get_current_device(&current) != CUDA_SUCCESS ||
      get_total_bytes(&bytes, current) != CUDA_SUCCESS || report_memory_size(device, bytes))
    sized_generation[device].store(now, std::memory_order_relaxed);
}

// The addresses of memory that launches of graphs allocate, and perhaps a call frees: as no
// allocation of it is reported, no free is either. More than any program has.
constexpr uint32_t kMaxGraphMemory = 65536;
HandleMap graph_memory;
std::atomic<uint32_t> graph_memory_count{0};
char of_a_graph;

void keep_graph_memory(CUdeviceptr address) {
  if (graph_memory_count.load(std::memory_order_relaxed) >= kMaxGraphMemory) return;
  bool kept = false;
  HandleMap::Locked at(graph_memory, reinterpret_cast<const void*>(address));
  if (at.set(&of_a_graph, kept) == nullptr && kept) graph_memory_count.fetch_add(1);
}

bool is_graph_memory(CUdeviceptr address) {
  if (graph_memory_count.load(std::memory_order_relaxed) == 0) return false;
  const HandleMap::Locked at(graph_memory, reinterpret_cast<const void*>(address));
  return at.value() != nullptr;
}

// The address has been allocated by a call: its graph is gone.
void forget_graph_memory(CUdeviceptr address) {
  if (graph_memory_count.load(std::memory_order_relaxed) == 0) return;
  HandleMap::Locked at(graph_memory, reinterpret_cast<const void*>(address));
  if (at.remove() != nullptr) graph_memory_count.fetch_sub(1);
}

// What is told once to each recorder: `told` as sized_generation.
void tell(std::atomic<uint32_t>& told, const char* message) {
  const uint32_t now = generation() + 1;
  if (told.exchange(now, std::memory_order_relaxed) != now) report_message(message, false);
}

std::atomic<uint32_t> told_of_created{0}, told_of_nodes{0};

// Memory that is created and then mapped, which may outlive its handle.
void note_created() {
  tell(told_of_created,
       "memory of cuMemCreate is not recorded: PyTorch has it with expandable segments");
}

// False for an address that is none: the call will fail. `bytes` stays 0 where the driver does not
// say how many will be freed.
bool find_bytes(CUdeviceptr address, size_t& bytes) {
  CUdeviceptr base = 0;
  bytes = 0;
  if (get_address_range == nullptr) return true;
  return get_address_range(&base, &bytes, address) == CUDA_SUCCESS && base == address;
}

}  // namespace

void enable_memory_calls(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  if (!is_memory_wanted()) return;
  find_driver_function(get_current_device, "cuCtxGetDevice");
  find_driver_function(get_total_bytes, "cuDeviceTotalMem_v2");
  find_driver_function(get_address_range, "cuMemGetAddressRange_v2");
  find_driver_function(get_capture, "cuStreamIsCapturing");
  find_driver_function(get_capture_ptsz, "cuStreamIsCapturing_ptsz");
  enable_driver_calls(kMemoryCalls, cupti, subscriber);
}

// A free is reported before it happens: afterwards another thread may get the same address.
void memory_call_entered(CUpti_CallbackId id, const CUpti_CallbackData& call, uint32_t device) {
  const bool allocates = name_of(id) != nullptr || id == CUPTI_DRIVER_TRACE_CBID_cuMemCreate ||
                         id == CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemAllocNode;
  if (allocates || call.functionParams == nullptr || !begin_memory_report() ||
      is_captured(id, call.functionParams))
    return;
  const CUdeviceptr address = *static_cast<const CUdeviceptr*>(call.functionParams);
  size_t bytes = 0;
  if (address != 0 && !is_graph_memory(address) && find_bytes(address, bytes))
    report_free(device, address, bytes);
}

void memory_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call, uint32_t device) {
  if (call.functionParams == nullptr || !has_succeeded(call)) return;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphAddMemAllocNode) {
    const auto& added = *static_cast<const cuGraphAddMemAllocNode_params*>(call.functionParams);
    if (added.nodeParams != nullptr) keep_graph_memory(added.nodeParams->dptr);
    return;
  }
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemCreate) {
    if (begin_memory_report()) note_created();
    return;
  }
  const char* const name = name_of(id);
  Allocation made{};
  if (name == nullptr || !read_allocation(id, call.functionParams, made)) return;
  if (is_captured(id, call.functionParams)) return keep_graph_memory(made.address);
  forget_graph_memory(made.address);
  if (!begin_memory_report()) return;
  report_size(device);
  const OffStack<FrontText> front;
  if (front) {
    made.front = front->text;
    made.front_bytes = write_range_front(name, "[cuda]", *front);
  }
  made.device = device;
  report_allocation(made);
}

void memory_node_created() {
  if (is_memory_wanted() && begin_memory_report())
    tell(told_of_nodes, "memory that CUDA graphs allocate is not recorded");
}

}  // namespace aiflame::agent::cupti
