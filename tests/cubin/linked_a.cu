// SPDX-License-Identifier: MIT
// One of two sources that are linked (nvcc -rdc=true), each with inlined functions of its own.
#include "linked.cuh"

__device__ __forceinline__ float only_a(float x) {
  return near_by(x) * near_by(x + 2);
}

static __device__ __noinline__ float local(float x, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) x = x * only_a(x);
  return x;
}

__global__ void first(float* out, int n) {
  out[threadIdx.x] = only_a(far_away(out[threadIdx.x], n));
}

__global__ void third(float* out, int n) {
  out[threadIdx.x] = local(out[threadIdx.x], n);
}
