// SPDX-License-Identifier: MIT
// Stands in for cuda_matmul on machines without a GPU. The kernels have the names and code of its
// cubin, but run on the stand-in for the driver (tests/fakes/cupti), for times that are set here,
// and multiply nothing. It tests the script that judges recordings for `make selftest`.
//
//   cuda_stand_in FILE.cubin WRONG [--repeats N | …]    WRONG is what it does wrong: times (those
//                                                       printed), caller (of one kernel), copies
//                                                       (one too few) or nothing
#include <cupti_runtime_cbid.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/fakes/cupti/cuda_runtime.h"

// Named like the host functions of cuda_matmul.cu; a profile tells them apart.
[[gnu::noinline]] int run_basic(CUfunction kernel, unsigned microseconds) {
  const int result = __cudaLaunchKernel(kernel, microseconds);
  asm volatile("# basic" ::: "memory");
  return result;
}
[[gnu::noinline]] int run_local_access(CUfunction kernel, unsigned microseconds) {
  const int result = __cudaLaunchKernel(kernel, microseconds);
  asm volatile("# local access" ::: "memory");
  return result;
}
[[gnu::noinline]] int run_tiled(CUfunction kernel, unsigned microseconds) {
  const int result = __cudaLaunchKernel(kernel, microseconds);
  asm volatile("# tiled" ::: "memory");
  return result;
}

namespace {

struct Variant {
  const char* name;
  int (*run)(CUfunction, unsigned);
  unsigned microseconds;
  CUfunction kernel;
};

// Finds the function by its mangled C++ name.
CUfunction find(CUmodule module, const char* name) {
  const std::string mangled =
      "_Z" + std::to_string(std::strlen(name)) + name + "PKfS0_Pfj";  // (…, float*, unsigned)
  CUfunction found = nullptr;
  if (cuModuleGetFunction(&found, module, mangled.c_str()) == CUDA_SUCCESS) return found;
  std::fprintf(stderr, "cuda_stand_in: no function %s\n", mangled.c_str());
  std::exit(1);
}

// The copies and fills that cuda_matmul makes: its matrices to the device, and for each kernel a
// fill and the product.
void copy_matrices(int products, bool is_one_missing) {
  constexpr uint64_t kBytes = 5000;
  for (int i = is_one_missing ? 1 : 0; i < 3; ++i)
    fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, "cudaMemcpy", 1, 1, 3, kBytes,
                      true);
  for (int i = 0; i < products; ++i) {
    fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020, "cudaMemset", 0, 0, 0, kBytes,
                      false);
    fake_runtime_copy(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, "cudaMemcpy", 2, 3, 1, kBytes,
                      true);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string wrong = argv[2];
  // long enough for 30 windows of 300 milliseconds
  int rounds = 1000;
  if (argc > 4 && std::strcmp(argv[3], "--repeats") == 0) rounds = std::atoi(argv[4]);
  std::ifstream file(argv[1], std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  cuInit(0);
  CUcontext context = nullptr;
  fake_context_create(&context, 0);
  CUmodule module = nullptr;
  fake_module_load(&module, cubin.data(), cubin.size());
  Variant variants[] = {{"multiply_basic", run_basic, 300, nullptr},
                        {"multiply_local_access", run_local_access, 200, nullptr},
                        {"multiply_local_access_and_tiling",
                         wrong == "caller" ? run_basic : run_tiled, 100, nullptr}};
  for (Variant& variant : variants) variant.kernel = find(module, variant.name);
  copy_matrices(3, wrong == "copies");
  for (int i = 0; i < rounds; ++i) {
    for (const Variant& variant : variants) variant.run(variant.kernel, variant.microseconds);
    if (i % 4 == 3) cuCtxSynchronize();
  }
  std::printf("device: NVIDIA Stand-in, compute capability 9.0, 1 multiprocessors, 2048 MHz\n");
  std::printf("%-34s %8s %11s %9s\n", "kernel", "launches", "device_s", "share_%");
  for (const Variant& variant : variants) {
    const double share = wrong == "times" ? 100.0 / 3 : variant.microseconds / 6.0;
    std::printf("%-34s %8d %11.6f %9.2f\n", variant.name, rounds, rounds * 600e-6 * share / 100,
                share);
  }
  std::printf("repeats %d\ntook %.6f s\n", rounds, rounds * 600e-6);
  return 0;
}
