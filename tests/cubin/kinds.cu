// SPDX-License-Identifier: MIT
// Kernels of many kinds of instructions, for the test of the registers that they read and write.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

extern "C" __global__ void doubles(double* a, const double* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = 0;
  for (int k = 0; k < n; k++) {
    double x = b[i + k * n];
    v += x * x / (1.0 + sqrt(x));
    if (x > v) v -= exp(x);
    v = fmax(v, sin(x)) + float(x) + (long long)x + (unsigned)v;
  }
  a[i] = v;
}

extern "C" __global__ void floats(float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int k = 0; k < n; k++) {
    float x = b[i + k * n];
    v += x / (1.0f + sqrtf(x)) + __expf(x) + __sinf(x) + tanhf(x);
    v = fminf(v, x) + powf(x, v) + rintf(x);
  }
  a[i] = v;
}

extern "C" __global__ void integers(int* a, const int* b, int n, unsigned long long* l) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
  long long w = 0;
  for (int k = 0; k < n; k++) {
    int x = b[i + k * n];
    v += x / (n + 1) + x % 7 + __popc(x) + __clz(x) + __brev(x) + __ffs(x);
    w += (long long)x * v + (l[i] % (unsigned)(x + 2));
    v ^= __shfl_xor_sync(~0u, v, 3);
    v += __shfl_sync(~0u, v, x) + __match_any_sync(~0u, x);
    v |= __ballot_sync(~0u, x > 3);
    v = max(__funnelshift_l(v, x, 5), x) + abs(x) + (x >> v) + (v << x);
    v = __byte_perm(v, x, 0x1234) + __dp4a(x, v, 3) + __umulhi(x, v);
    if (__any_sync(~0u, v)) v++;
#if __CUDA_ARCH__ >= 800
    v += __reduce_add_sync(~0u, v);
#endif
  }
  a[i] = v;
  l[i] = w;
  atomicAdd(&a[3], v);
  atomicMax(&l[2], (unsigned long long)w);
  if (atomicCAS(&a[9], v, 4) == 3) a[1] = atomicExch(&a[8], 1);
}

extern "C" __global__ void halves(half2* a, const half2* b, int n) {
  half2 v = b[0];
  for (int k = 0; k < n; k++) {
    v = __hadd2(__hmul2(__hfma2(v, b[k], a[threadIdx.x]), b[k + 1]), b[3]);
    if (__hbgt2(v, b[2])) v = h2exp(v);
  }
  a[threadIdx.x] = v;
}

extern "C" __global__ void vectors(float4* a, const float4* b, double2* d, uchar4* u, short2* s) {
  int i = threadIdx.x;
  float4 x = b[i];
  double2 y = d[i];
  uchar4 q = u[i];
  short2 w = s[i];
  a[i] = make_float4(x.x + q.x + w.x, x.y + q.y * w.y, x.z, x.w);
  d[i] = make_double2(y.x + x.z, y.y * x.w);
  u[i] = make_uchar4(x.x, x.y, 3, 4);
  s[i] = make_short2(x.x, x.w);
}

extern "C" __global__ void barriers(int* a) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, a[threadIdx.x]);
  a[0] = __syncthreads_count(s > 3);
  a[4] = __syncthreads_or(s) + (int)clock64();
  __syncwarp();
  a[3] = s;
}

extern "C" __global__ void choices(int* a, int n) {
  float local[32];
  for (int i = 0; i < n; i++) local[i & 31] = a[i];
  int v = a[n];
  switch (n) {
    case 0: v *= 3; break;
    case 1: v += a[1]; break;
    case 2: v ^= a[3]; break;
    case 3: v = a[v]; break;
    case 4: v -= 7; break;
    case 9: v = a[n * 3]; break;
  }
  a[threadIdx.x] = v + local[n & 31];
}

// Each shape of mma.sync that an architecture has: registers of A, B and C.
#define MATRIX(NAME, SHAPE, A, B, C)                                                           \
  extern "C" __global__ void NAME(float* p, const unsigned* q, int n) {                        \
    float c[C];                                                                                \
    for (int i = 0; i < C; i++) c[i] = p[i * 32 + threadIdx.x];                                \
    for (int k = 0; k < n; k++) {                                                              \
      unsigned x[A + B];                                                                       \
      for (int i = 0; i < A + B; i++) x[i] = q[(k * (A + B) + i) * 37 + threadIdx.x];          \
      SHAPE;                                                                                   \
    }                                                                                          \
    for (int i = 0; i < C; i++) p[i * 32 + threadIdx.x] = c[i];                                \
  }
#define MMA_4_2_4(SHAPE)                                                                       \
  asm volatile("mma.sync.aligned." SHAPE                                                       \
               " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                            \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]))
#define MMA_2_1_4(SHAPE)                                                                       \
  asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"          \
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]))
MATRIX(m1688, MMA_2_1_4("m16n8k8.row.col.f32.f16.f16.f32"), 2, 1, 4)
#if __CUDA_ARCH__ >= 800
MATRIX(m16816, MMA_4_2_4("m16n8k16.row.col.f32.f16.f16.f32"), 4, 2, 4)
MATRIX(m1684, MMA_2_1_4("m16n8k4.row.col.f32.tf32.tf32.f32"), 2, 1, 4)
MATRIX(m1688t, MMA_4_2_4("m16n8k8.row.col.f32.tf32.tf32.f32"), 4, 2, 4)

extern "C" __global__ void copies(float4* g, float* o, int n) {
  __shared__ float4 s[2][128];
  int t = threadIdx.x;
  float v = 0;
  for (int k = 0; k < n; k++) {
    __pipeline_memcpy_async(&s[k & 1][t], g + k * 128 + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 q = s[(k & 1) ^ 1][127 - t];
    v += q.x * q.y + q.z * q.w;
    __syncthreads();
  }
  o[t] = v;
}
#endif
