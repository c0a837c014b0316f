// SPDX-License-Identifier: MIT
// C = A * B for square matrices of n x n floats, three times, each faster than the one before.
// n is a multiple of TILE. Work-group size: TILE x TILE, for the tiled kernel TILE / 4 x TILE / 4.

#define TILE 16  // edge of the block of A and B that a work-group shares
#define ROWS 4   // rows of C that one work-item of the tiled kernel computes, 4 columns wide

#ifndef SUMS    // make demo draws the difference between -D SUMS=1 and this
#define SUMS 2  // partial sums of the kernel with local access
#endif

// The loops are functions of their own, since PoCL keeps file and line of optimised code only there:
// it drops those of the kernel's own code when it inlines the kernel into its work-group function.
#ifdef POCL_DEVICE_ADDRESS_BITS
#define LOOP static __attribute__((noinline))
#else
#define LOOP static inline
#endif

// Small loops are unrolled, so that a sample shows the load that the processor waited for, or the
// multiplication, and not the loop's own counting, which comes right behind.
#define UNROLL(times) __attribute__((opencl_unroll_hint(times)))

// Inlined whatever the options, as small helpers are in real kernels: a profile that knows inlined
// functions shows it under each of its callers.
static inline __attribute__((always_inline)) float multiply_add(float a, float b, float sum) {
  return sum + a * b;
}

static inline __attribute__((always_inline)) float4 multiply_add4(float a, float4 b, float4 sum) {
  return sum + a * b;
}

// Walks down a column of B: each element is in another cache line.
LOOP float row_times_column(__global const float* row, __global const float* column, uint n) {
  float sum = 0.0f;
  UNROLL(TILE)
  for (uint k = 0; k < n; ++k) sum = multiply_add(row[k], column[k * n], sum);
  return sum;
}

// In SUMS parts: with one sum, each multiplication waits for the one before.
LOOP float row_times_row(__local const float* a, __local const float* b, float sum) {
  float sums[SUMS] = {sum};
  UNROLL(TILE / SUMS)
  for (uint k = 0; k < TILE; k += SUMS) {
    UNROLL(SUMS)
    for (uint i = 0; i < SUMS; ++i) sums[i] = multiply_add(a[k + i], b[k + i], sums[i]);
  }
  for (uint i = 1; i < SUMS; ++i) sums[0] += sums[i];
  return sums[0];
}

// A value of B serves ROWS times, and is four columns wide.
LOOP void rows_times_columns(__local const float* rows, __local const float4* columns,
                             __private float4* sums) {
  float4 sum0 = sums[0], sum1 = sums[1], sum2 = sums[2], sum3 = sums[3];
  UNROLL(TILE)
  for (uint k = 0; k < TILE; ++k) {
    const float4 value = columns[k * (TILE / 4)];
    sum0 = multiply_add4(rows[k], value, sum0);
    sum1 = multiply_add4(rows[TILE + k], value, sum1);
    sum2 = multiply_add4(rows[2 * TILE + k], value, sum2);
    sum3 = multiply_add4(rows[3 * TILE + k], value, sum3);
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}

// Each work-item reads a row of A and a column of B from global memory.
__kernel void multiply_basic(__global const float* a, __global const float* b, __global float* c,
                             uint n) {
  const uint column = get_global_id(0);
  const uint row = get_global_id(1);
  c[row * n + column] = row_times_column(a + row * n, b + column, n);
}

// The work-group brings blocks of A and B into local memory first, that of B transposed; every
// element is then read TILE times from there.
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
    block_b[x][y] = b[(start + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = row_times_row(block_a[y], block_b[x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Also, each work-item computes a tile of ROWS x 4 elements of C, and moves four at a time.
__kernel void multiply_local_access_and_tiling(__global const float* a, __global const float* b,
                                               __global float* c, uint n) {
  __local float4 block_a[TILE][TILE / 4];
  __local float4 block_b[TILE][TILE / 4];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1) * ROWS;
  const uint column = get_global_id(0) * 4;
  const uint row = get_global_id(1) * ROWS;
  float4 sums[ROWS] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint start = 0; start < n; start += TILE) {
    for (uint i = 0; i < ROWS; ++i) {
      block_a[y + i][x] = vload4(0, a + (row + i) * n + start + x * 4);
      block_b[y + i][x] = vload4(0, b + (start + y + i) * n + column);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    rows_times_columns((__local const float*)block_a[y], &block_b[0][x], sums);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < ROWS; ++i) vstore4(sums[i], 0, c + (row + i) * n + column);
}
