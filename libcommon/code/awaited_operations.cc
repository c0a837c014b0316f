// SPDX-License-Identifier: MIT
#include "libcommon/code/awaited_operations.h"

#include <iterator>

#include "libcommon/code/stall_reasons.h"

namespace aiflame {
namespace {

constexpr Operations kArithmetic = operations(Operation::arithmetic, Operation::slow_arithmetic);

struct Row {
  std::string_view reason;  // as in stall_reasons.cc
  Operations awaited;
};

// NVIDIA's short scoreboard and HPCToolkit's `idep`, which is made of it, count shared memory,
// constants through a register, special functions and double precision.
constexpr Row kRows[] = {
    {"sbid", kAsynchronous},
    {"dist_acc", kArithmetic},
    {"long_scoreboard", operations(Operation::load, Operation::store, Operation::atomic)},
    {"short_scoreboard",
     operations(Operation::local_load, Operation::constant_load, Operation::local_store,
                Operation::atomic, Operation::slow_arithmetic)},
    {"wait", kArithmetic},
    {"waitcnt", kMemoryOperations},
    {"alu_dependency", kArithmetic},
    {"stl_idep", kArithmetic | operations(Operation::local_load, Operation::constant_load)},
    {"stl_gmem", operations(Operation::load, Operation::store, Operation::atomic)},
    {"stl_lmem",
     operations(Operation::load, Operation::local_load, Operation::local_store, Operation::atomic)},
    {"stl_mem", kMemoryOperations},
};

}  // namespace

Operations awaited_operations(std::string_view reason) {
  const StallReason* const known = find_stall_reason(reason);
  if (known == nullptr) return 0;
  for (const Row& row : kRows)
    if (row.reason == known->name) return row.awaited;
  return 0;
}

}  // namespace aiflame
