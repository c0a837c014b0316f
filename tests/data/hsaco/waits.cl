// SPDX-License-Identifier: MIT
// Kernels for what AMD's s_waitcnt waits for: hsaco_object_test.cc compiles them.
#define ID __builtin_amdgcn_workitem_id_x()

__kernel void loads(__global const float* a, __global float* b, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[ID + k] * a[k];
  b[ID] = sum;
}

__kernel void tiles(__global const float* a, __global float* b, int n) {
  __local float tile[64];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    tile[ID] = a[ID + k];
    __builtin_amdgcn_s_barrier();
    for (int i = 0; i < 64; i += 4) sum += tile[63 - i] * a[i];
    __builtin_amdgcn_s_barrier();
  }
  b[ID] = sum;
}

__kernel void divergent(__global const int* a, __global int* b, int n) {
  int sum = a[ID];
  if (sum > 3)
    for (int k = 0; k < a[sum]; ++k) {
      if (a[k + sum] == 7) break;
      sum += a[k];
    }
  else
    while (sum < n) sum += a[sum] + b[sum + 1];
  b[ID] = sum;
}

__kernel void atomics(__global volatile int* a, __global int* b, int n) {
  int value = __opencl_atomic_fetch_add((__global atomic_int*)a, 1, memory_order_relaxed,
                                        memory_scope_device);
  b[value] = a[n];
}
