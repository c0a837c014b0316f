// SPDX-License-Identifier: MIT
// For which kinds of instructions a stalled one may wait, by the reason of the stall (pure).
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/code/code_flow.h"

namespace aiflame {

// A set of operations.
using Operations = uint16_t;

constexpr Operations operations() {
  return 0;
}
template <typename... Others>
constexpr Operations operations(Operation first, Others... others) {
  return static_cast<Operations>(1u << static_cast<unsigned>(first) | operations(others...));
}

inline constexpr Operations kMemoryOperations =
    operations(Operation::load, Operation::local_load, Operation::constant_load, Operation::store,
               Operation::local_store, Operation::atomic);

// Ready after a time that nobody knows beforehand: the code says in some way that it is waited for.
inline constexpr Operations kAsynchronous =
    kMemoryOperations | operations(Operation::slow_arithmetic);

// Empty where the reason is not for the result of an instruction: a busy pipe, a full queue, a
// barrier, or unknown.
Operations awaited_operations(std::string_view reason);

}  // namespace aiflame
