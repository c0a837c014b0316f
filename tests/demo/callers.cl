// SPDX-License-Identifier: MIT
// Work whose time is proportional to `iterations` and to nothing else.
__kernel void iterate(__global float* out, uint iterations) {
  const uint i = get_global_id(0);
  float x = 0.25f + 0.5f * (float)i / (float)get_global_size(0);
  for (uint k = 0; k < iterations; ++k) x = 3.9f * x * (1.0f - x);  // chaotic: never settles
  out[i] = x;
}
