// SPDX-License-Identifier: MIT
// Kernels for nvcc: one with a function that is not inlined, one with a mangled name.
__device__ __noinline__ float helper(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * x + 1.0f;
  return x;
}

extern "C" __global__ void scale(float* p, int n) {
  const int i = threadIdx.x;
  p[i] = helper(p[i], n) * FACTOR;
}

__global__ void add(float* p, const float* q) {
  p[threadIdx.x] += q[threadIdx.x];
}
