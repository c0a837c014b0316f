// SPDX-License-Identifier: MIT
// C = A * B for square matrices of n x n floats, three times, each faster than the one before.
// n is a multiple of TILE. Work-group size: TILE x TILE, for the tiled kernel TILE x TILE / ROWS.

#define TILE 16  // edge of the block of A and B that a work-group shares
#define ROWS 4   // elements of C that one work-item of the tiled kernel computes

// Inlined whatever the options, as small helpers are in real kernels: a profile that knows inlined
// functions shows it under each of its callers.
static inline __attribute__((always_inline)) float multiply_add(float a, float b, float sum) {
  return sum + a * b;
}

// Each work-item reads a row of A and a column of B from global memory.
__kernel void multiply_basic(__global const float* a, __global const float* b, __global float* c,
                             uint n) {
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k)
    sum = multiply_add(a[row * n + k], b[k * n + column], sum);
  c[row * n + column] = sum;
}

// The work-group brings blocks of A and B into local memory first; every element is then read
// TILE times from there.
__kernel void multiply_local_access(__global const float* a, __global const float* b,
                                    __global float* c, uint n) {
  __local float block_a[TILE][TILE];
  __local float block_b[TILE][TILE];
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  float sum = 0.0f;
  for (uint start = 0; start < n; start += TILE) {
    block_a[y][x] = a[row * n + start + x];
    block_b[y][x] = b[(start + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k)
      sum = multiply_add(block_a[y][k], block_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Also, each work-item computes ROWS elements of a column of C, so that a value of B read from
// local memory serves ROWS times.
__kernel void multiply_local_access_and_tiling(__global const float* a, __global const float* b,
                                               __global float* c, uint n) {
  __local float block_a[TILE][TILE];
  __local float block_b[TILE][TILE];
  const uint column = get_global_id(0);
  const uint x = get_local_id(0);
  const uint y = get_local_id(1) * ROWS;
  const uint row = get_group_id(1) * TILE + y;
  float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
  for (uint start = 0; start < n; start += TILE) {
    for (uint i = 0; i < ROWS; ++i) {
      block_a[y + i][x] = a[(row + i) * n + start + x];
      block_b[y + i][x] = b[(start + y + i) * n + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) {
      const float value = block_b[k][x];
      sum0 = multiply_add(block_a[y][k], value, sum0);
      sum1 = multiply_add(block_a[y + 1][k], value, sum1);
      sum2 = multiply_add(block_a[y + 2][k], value, sum2);
      sum3 = multiply_add(block_a[y + 3][k], value, sum3);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum0;
  c[(row + 1) * n + column] = sum1;
  c[(row + 2) * n + column] = sum2;
  c[(row + 3) * n + column] = sum3;
}
