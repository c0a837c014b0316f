// SPDX-License-Identifier: MIT
// A kernel whose time goes to one known place: it nearly always waits for the load in the loop,
// whose address comes from the previous iteration's load. See scripts/gpustall-selftest.sh.
__kernel void hot(__global const uint* next, __global uint* out, uint steps) {
  uint at = get_global_id(0);
  for (uint i = 0; i < steps; ++i)
    at = next[at];  // here
  out[get_global_id(0)] = at;
}
