// SPDX-License-Identifier: MIT
// The second source: its names come after those of the first.
#include "linked.cuh"

__device__ __forceinline__ float only_b(float x) {
  return near_by(x) + 7;
}

__device__ float far_away(float x, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) x = only_b(x) * x;
  return x;
}

__global__ void second(float* out, int n) {
  out[threadIdx.x] = only_b(out[threadIdx.x]) + n;
}
