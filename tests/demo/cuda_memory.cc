// SPDX-License-Identifier: MIT
// cuda_memory [cost N FRAMES | create | graph | two]: plants allocations on the stand-in for the
// CUDA driver (tests/fakes/cupti), as cl_memory does in OpenCL, and prints what they are. The
// runtime's call has the driver's inside.
//
//   cost      prints the time of a pair of cuMemAlloc and cuMemFree, FRAMES deeper, from N pairs
//   create    memory that is created and mapped, which is not recorded
//   graph     a block by hold(), and calls that allocate and free, which are captured into a graph,
//             but for the last free; then one block at the same address
//   two       two devices, whose peaks are at different times
#include <cuda.h>
#include <cupti_runtime_cbid.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/demo/planted_memory.h"
#include "tests/fakes/cupti/cuda_runtime.h"

extern "C" {
void* fake_call_enter(unsigned id, const char* name, const char* symbol, const void* params);
void fake_call_leave(void* call, int result);
}

namespace {

constexpr uint64_t kSteps = 20, kPeakStep = 10;

demo::PlantedMemory planted;

void must(int result) {
  if (result == 0) return;
  std::fprintf(stderr, "cuda_memory: error %d\n", result);
  std::exit(1);
}

void release(CUdeviceptr memory, uint64_t bytes) {
  must(cuMemFree(memory));
  planted.freed(bytes);
}

}  // namespace

// The runtime's, whose frame is between the program and the driver.
extern "C" [[gnu::noinline]] int cudaMalloc(CUdeviceptr* out, size_t bytes) {
  void* call = fake_call_enter(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc_v3020",
                               nullptr, nullptr);
  const int result = cuMemAlloc(out, bytes);
  fake_call_leave(call, result);
  return result;
}

// Functions that are distinct in a profile.

[[gnu::noinline]] CUdeviceptr keep_weights() {
  CUdeviceptr made = 0;
  must(cuMemAllocManaged(&made, demo::kWeights, CU_MEM_ATTACH_GLOBAL));
  planted.allocated(demo::kWeights);
  asm volatile("");
  return made;
}

[[gnu::noinline]] void leak_a_buffer() {
  CUdeviceptr made = 0;
  must(cudaMalloc(&made, demo::kLeak));
  planted.allocated(demo::kLeak);
  asm volatile("");
}

[[gnu::noinline]] void use_activations() {
  CUdeviceptr made = 0;
  must(cuMemAllocAsync(&made, demo::kActivations, nullptr));
  planted.allocated(demo::kActivations);
  must(cuMemFreeAsync(made, nullptr));
  planted.freed(demo::kActivations);
  asm volatile("");
}

[[gnu::noinline]] void hold() {
  CUdeviceptr made = 0;
  must(cuMemAllocAsync(&made, 1000, nullptr));
  asm volatile("");
}

[[gnu::noinline]] void have_a_peak() {
  CUdeviceptr made = 0;
  must(cudaMalloc(&made, demo::kPeak));
  planted.allocated(demo::kPeak);
  release(made, demo::kPeak);
  asm volatile("");
}

// A pitched block, one of a pool, and calls that fail: none of them is the peak.
[[gnu::noinline]] void have_others() {
  CUdeviceptr made = 0;
  size_t pitch = 0;
  must(cuMemAllocPitch(&made, &pitch, 1000, 10, 4));
  planted.allocated(pitch * 10);
  release(made, pitch * 10);
  must(cuMemAllocFromPoolAsync(&made, 30011, nullptr, nullptr));
  planted.allocated(30011);
  release(made, 30011);
  if (cuMemAlloc(&made, 0) == CUDA_SUCCESS || cuMemFree(made + 512) == CUDA_SUCCESS) std::exit(1);
  must(cuMemFree(0));
  asm volatile("");
}

[[gnu::noinline]] void allocate_and_free(uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) {
    CUdeviceptr made = 0;
    must(cuMemAlloc(&made, 4096));
    must(cuMemFree(made));
  }
  asm volatile("");
}

namespace {

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void measure(uint64_t pairs) {
  constexpr uint64_t kBatch = 1000;
  std::vector<double> costs;
  for (uint64_t i = 0; i < pairs / kBatch; ++i) {
    const uint64_t begin = now_ns();
    allocate_and_free(kBatch);
    costs.push_back(static_cast<double>(now_ns() - begin) / kBatch);
  }
  std::sort(costs.begin(), costs.end());
  std::printf("median_ns %.1f\n", costs[costs.size() / 2]);
}

}  // namespace

// The same, `frames` callers deeper.
[[gnu::noinline]] void measure_below(uint64_t frames, uint64_t pairs) {
  if (frames > 0)
    measure_below(frames - 1, pairs);
  else
    measure(pairs);
  asm volatile("" ::: "memory");
}

namespace {

// The first device has its peak as the second has nothing yet.
void use_two_devices() {
  CUcontext contexts[2] = {};
  for (unsigned i = 0; i < 2; ++i) must(fake_context_create(&contexts[i], i));
  CUdeviceptr made[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    fake_context_set(contexts[i]);
    must(cuMemAlloc(&made[i], 1000 * size_t{i + 1}));
    must(cuMemFree(made[i]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  cuInit(0);
  if (std::strcmp(mode, "two") == 0) {
    use_two_devices();
    return 0;
  }
  CUcontext context = nullptr;
  fake_context_create(&context, 0);
  if (std::strcmp(mode, "cost") == 0) {
    if (argc != 4) return 2;
    measure_below(std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[2], nullptr, 10));
    return 0;
  }
  if (std::strcmp(mode, "graph") == 0) {
    hold();
    fake_capture(fake_graph_create());
    CUdeviceptr made = 0, freed_outside = 0;
    for (int i = 0; i < 2; ++i) {
      must(cuMemAllocAsync(&made, 5000, nullptr));
      must(cuMemFreeAsync(made, nullptr));
    }
    must(cuMemAllocFromPoolAsync(&freed_outside, 5000, nullptr, nullptr));
    fake_capture(nullptr);
    must(cuMemFreeAsync(freed_outside, nullptr));
    // the same address, for memory of its own
    must(cuMemAlloc(&made, 700));
    if (made != freed_outside) return 1;
    must(cuMemFree(made));
    return 0;
  }
  if (std::strcmp(mode, "create") == 0) {
    CUmemGenericAllocationHandle handle = 0;
    const CUmemAllocationProp properties{};
    for (int i = 0; i < 2; ++i) must(cuMemCreate(&handle, 2 << 20, &properties, 0));
    return 0;
  }
  (void)keep_weights();
  for (uint64_t step = 0; step < kSteps; ++step) {
    use_activations();
    if (step == kPeakStep) have_a_peak();
    have_others();
    leak_a_buffer();
    planted.step(step);
  }
  planted.print();
  return std::fflush(stdout) == 0 ? 0 : 1;
}
