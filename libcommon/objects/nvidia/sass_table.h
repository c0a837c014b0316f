// SPDX-License-Identifier: MIT
// Which operands each operation of NVIDIA's GPUs has: see sass_registers.h for their fields.
#pragma once

#include <cstdint>

#include "libcommon/code/code_flow.h"

namespace aiflame::sass {

// What an operation has, a bit each.
enum Has : uint32_t {
  a = 1,  // sources 1, 2, 3
  b = 2,
  c = 4,
  d = 8,          // the destination
  flexible = 16,  // has two sources; the second one is in 32-63 in every form
  c2 = 32,        // 64-bit values, in two registers
  d2 = 64,
  p81 = 128,  // predicates: written
  p84 = 256,
  p87 = 512,  // read
  p77 = 1024,
  p68 = 2048,
  p68_if_72 = 4096,    // ISETP.EX
  u = 8192,            // all of its registers and predicates are uniform
  to_uniform = 16384,  // its destination is
  not_p = 32768,       // of a uniform operation: the predicate in 87 is not
  pairs = 65536,       // 64-bit destination and sources 1 and 2 and 3
  sizes = 131072,      // of a conversion: 75-76 and 84-85 are the logarithms of bytes
};

struct Row {
  unsigned kind;
  uint32_t has;
  Operation operation;
  unsigned from = 0, to = UINT32_MAX;  // architectures
};

// nullptr where the operation is not in the table.
const Row* row_of(unsigned kind, unsigned architecture);

// Memory: bits 73-75 have the size. LD, LDG, ST, STG, ATOM and RED have addresses of 64 bits where
// bit 72 is set, and where bit 91 is, a uniform register more: the address of a descriptor, or the
// base, if bit 90 is not set. Then the address has 32 bits.
struct Memory {
  unsigned kind;
  enum { load, store, atomic, swap, copy } does;
  bool is_global;  // its address may have 64 bits
  Operation operation;
};

const Memory* memory_of(unsigned kind);

}  // namespace aiflame::sass
