// SPDX-License-Identifier: MIT
// A kernel of which it is known where its time goes: nearly all of it is spent waiting for the load
// in the loop, whose address is what the one before it loaded. See scripts/gpustall-selftest.sh.
__kernel void hot(__global const uint* next, __global uint* out, uint steps) {
  uint at = get_global_id(0);
  for (uint i = 0; i < steps; ++i)
    at = next[at];  // here
  out[get_global_id(0)] = at;
}
