/* SPDX-License-Identifier: MIT */
// A stand-in for the CUDA runtime, static as nvcc links it by default. A kernel is a function of
// the driver, and runs for the given number of microseconds.
#pragma once

#include <cuda.h>

#include "plugins/agents/cupti/copy_record.h"

extern "C" {
// defined in tests/fakes/cupti/driver.cc
CUresult fake_context_create(CUcontext* out, unsigned device);
void fake_context_set(CUcontext context);
CUresult fake_module_load(CUmodule* out, const void* image, size_t bytes);
void* fake_graph_create();
CUresult fake_library_load(CUlibrary* out, const void* const* images, const size_t* bytes,
                           unsigned count);
void fake_copy(unsigned id, const char* name, const aiflame::agent::cupti::CopyRecord* record,
               bool blocks);
void fake_host_function(CUhostFn function, void* data);  // cudaLaunchHostFunc
// A conditional node of the graph; returns its body, which runs so many times in each launch.
void* fake_conditional(void* graph, unsigned times);
// Launches are captured into the graph from now on; null ends the capture.
void fake_capture(void* graph);
CUresult cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, CUstream, void**, void**);

int __cudaLaunchKernel(CUfunction function, unsigned microseconds);
int __cudaLaunchKernel_ptsz(CUfunction function, unsigned microseconds);
int cudaLaunchKernel(CUfunction function, unsigned microseconds);
int cudaLaunchKernelExC(CUfunction function, unsigned microseconds);
int cudaLaunchCooperativeKernel(CUfunction function, unsigned microseconds);
int cudaGraphLaunch(CUgraphExec graph);
}

// The runtime's call `id` of that name, which copies, or with direction 0 fills. Direction and
// memory have CUPTI's numbers; a call that blocks returns when the copy has ended. Inline, so that
// it is no frame between the caller and the call.
[[gnu::always_inline]] inline void fake_runtime_copy(unsigned id, const char* name,
                                                     uint8_t direction, uint8_t from, uint8_t to,
                                                     uint64_t bytes, bool blocks) {
  aiflame::agent::cupti::CopyRecord record{};
  record.kind = direction == 0 ? 2 : 1;  // CUPTI_ACTIVITY_KIND_MEMSET, …_MEMCPY
  if (direction != 0) {
    record.copy_kind = direction;
    record.source_kind = from;
    record.destination_kind = to;
  }
  record.bytes = bytes;
  fake_copy(id, name, &record, blocks);
}
