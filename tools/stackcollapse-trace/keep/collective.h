// SPDX-License-Identifier: MIT
// Collective operations and the sizes of their messages (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// The name of the collective that an event says it is: of a kernel or operator by its argument
// "Collective name", of a range by its own name, "nccl:all_reduce". Empty: none.
std::string_view collective_name(const Event& event);
// The bytes of its message: elements times their type. kNone: not known.
uint64_t message_bytes(const Event& event);
// "allreduce 1 to 16 MiB": a class of sizes for each way in which a network behaves.
std::string collective_text(std::string_view name, uint64_t bytes);

}  // namespace aiflame::trace
