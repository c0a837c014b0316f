// SPDX-License-Identifier: MIT
// A stand-in for a device code object: a kernel, a function inlined into it and one that is not.
extern "C" __attribute__((noinline)) float helper(float x) {
  return x * 3.5f;
}
__attribute__((always_inline)) inline float scaled_sum(const float* in, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] * 0.5f;
  return sum;
}
extern "C" __attribute__((noinline)) void scale(float* out, const float* in, int n) {
  *out = helper(scaled_sum(in, n));
}
