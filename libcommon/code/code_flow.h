// SPDX-License-Identifier: MIT
// A function's code as the search for causes and loops reads it: its instructions, the ways between
// them, and the registers through which one hands a value to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/code/flow_graph.h"

namespace aiflame {

// Registers of different kinds never overlap. Units, by kind and vendor, are those in which the
// code names them: 32-bit registers of NVIDIA and AMD, bytes of Intel's register file and x86-64's
// registers (EAX and RAX overlap: both begin with the same byte). Registers that always hold the
// same (RZ, null) are left out. The header that reads a vendor's instructions numbers them.
enum class RegisterKind : uint8_t { general, uniform, predicate, flags, accumulator, address };

struct RegisterRange {
  RegisterKind kind = RegisterKind::general;
  uint32_t first = 0, count = 0;  // in the kind's units
};

struct RegisterUse {
  std::vector<RegisterRange> reads, writes;
  bool known = false;        // false: it may read or write more than that, and a chain ends here
  bool conditional = false;  // it may leave what it writes as it was: it has a predicate, or lanes
                             // are off
};

enum class Operation : uint8_t {
  unknown,
  arithmetic,       // ready after a fixed time
  slow_arithmetic,  // divide, square root, the special function and matrix units, double on some
  load,             // from device memory, or that may be
  local_load,       // from memory that a work-group or a thread has for itself on the chip
  constant_load,    // through the caches of constants and scalars
  store,
  local_store,  // to such memory
  atomic,
  barrier,
  control,  // jumps, calls, returns, and waits for what others do
};

struct CodeFlow {
  std::vector<uint64_t> offsets;  // ascending, in the object's file
  FlowGraph ways{Flow{}};         // between them, by index
  // By index; empty where nobody knows.
  std::vector<RegisterUse> registers;
  std::vector<Operation> operations;

  bool empty() const { return offsets.empty(); }
  // Of the instruction at an offset; the number of all where there is none.
  uint32_t index_of(uint64_t offset) const {
    const auto found = std::lower_bound(offsets.begin(), offsets.end(), offset);
    const bool is_there = found != offsets.end() && *found == offset;
    return static_cast<uint32_t>(is_there ? found - offsets.begin()
                                          : static_cast<std::ptrdiff_t>(offsets.size()));
  }
};

}  // namespace aiflame
