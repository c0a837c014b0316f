// SPDX-License-Identifier: MIT
// Kernels for the tests of cubins, with inlined and called functions.
template <typename T>
__device__ __noinline__ T powered(T x, int n) {
#pragma unroll 1
  for (int i = 0; i < n; ++i) x = x * x + T(1);
  return x;
}

__device__ __forceinline__ float scaled(float x, float by) {
  float y = x * by;
  return y + 3.0f;
}

__device__ __forceinline__ float chained(float x) {
  float s = scaled(x, 2.0f);
  return s * scaled(s, 5.0f);
}

__device__ __noinline__ float called(float x) {
  return chained(x) * x;
}

namespace {
__global__ void hidden(float* out, const float* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = chained(in[i]);
}
}  // namespace

extern "C" __global__ void plain(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = powered(in[i], n) / called(in[i]);
}

template <typename T>
__global__ void templated(T* out, const T* in, int n) {
  __shared__ T tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  T sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += scaled(tile[k], 1.5f);
  out[threadIdx.x] = sum;
}
template __global__ void templated<float>(float*, const float*, int);

void launch(float* out, const float* in) {
  hidden<<<1, 1>>>(out, in);
}
