// SPDX-License-Identifier: MIT
// Kernels of several shapes, for what instructions wait for: sass_code_test.cc compiles them.
#include <cuda_pipeline.h>

__device__ float table[1024];
extern "C" __global__ void loops(const float* a, const float* b, float* c, int n) {
  float s = 0;
  for (int k = 0; k < n; ++k) s += a[threadIdx.x * n + k] * b[k * n + blockIdx.x];
  c[threadIdx.x] = s;
}
extern "C" __global__ void shared_tiles(const float* a, float* c, int n) {
  __shared__ float t[32][33];
  float s = 0;
  for (int k = 0; k < n; k += 32) {
    t[threadIdx.y][threadIdx.x] = a[(threadIdx.y + k) * n + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; ++i) s += t[i][threadIdx.x] * t[threadIdx.x][i];
    __syncthreads();
  }
  c[threadIdx.x] = __sinf(s) + sqrtf(s);
}
extern "C" __global__ void divergent(const int* a, int* c, int n) {
  int i = threadIdx.x, s = 0;
  if (a[i] > 3) {
    for (int k = 0; k < a[i]; ++k) {
      if (a[k + i] == 7) break;
      s += a[k];
    }
  } else {
    while (s < n) {
      s += a[s + i];
      if (s % 5 == 3) continue;
      s += c[s];
    }
  }
  s += __shfl_xor_sync(0xffffffff, s, 1);
  c[i] = s / (a[i + 1] + 1);
}
extern "C" __global__ void switches(const int* a, int* c, int n) {
  int i = threadIdx.x, v = a[i];
  switch (n) {
    case 0:
      v += a[i + 100];
      break;
    case 1:
      v *= a[i + 7];
      break;
    case 2:
      v ^= c[i + 2];
      break;
    case 3:
      v -= atomicAdd(c + 5, 1);
      break;
    case 4:
      v = v / a[3];
      break;
    case 5:
      v = __popc(v);
      break;
    case 6:
      v = a[v];
      break;
    case 7:
      v = a[a[v]];
      break;
    case 8:
      v = c[v & 7] + 3;
      break;
    case 9:
      v = 4;
      break;
  }
  c[i] = v;
}
__noinline__ __device__ float called(const float* a, int i) {
  float s = 0;
  for (int k = 0; k < i; ++k) s += a[k] * a[i];
  return s;
}
extern "C" __global__ void calls(const float* a, float* c, int n) {
  float x = a[threadIdx.x];
  c[threadIdx.x] = called(a, n) / x + called(a + 1, n + 1);
}
typedef float (*F)(float);
__device__ float f1(float x) {
  return x * table[(int)x];
}
__device__ float f2(float x) {
  return x + table[(int)x + 3];
}
__device__ F fs[2] = {f1, f2};
extern "C" __global__ void pointers(const float* a, float* c, int n) {
  float x = a[threadIdx.x];
  c[threadIdx.x] = fs[n & 1](x) + a[n];
}
extern "C" __global__ void doubles(const double* a, double* c, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) s += a[k] / a[threadIdx.x + k] + sqrt(a[k]);
  c[threadIdx.x] = s;
}
extern "C" __global__ void atomics(int* a, unsigned long long* b, int n) {
  int v = atomicCAS(a, 3, threadIdx.x);
  while (atomicExch(a + 1, v) != n) __nanosleep(20);
  atomicAdd(b, (unsigned long long)v);
  __threadfence();
  b[1 + v] = clock64();
}
extern "C" __global__ void pipelined(const float* a, float* c, int n) {
#if __CUDA_ARCH__ >= 800
  __shared__ float t[4][128];
  float s = 0;
  for (int k = 0; k < 3; ++k) {
    __pipeline_memcpy_async(&t[k][threadIdx.x], a + k * n + threadIdx.x, 4);
    __pipeline_commit();
  }
  for (int k = 0; k < n; ++k) {
    __pipeline_wait_prior(2);
    __syncthreads();
    s += t[k & 3][threadIdx.x ^ 1];
    __pipeline_memcpy_async(&t[(k + 3) & 3][threadIdx.x], a + (k + 3) * n + threadIdx.x, 4);
    __pipeline_commit();
  }
  c[threadIdx.x] = s;
#endif
}
