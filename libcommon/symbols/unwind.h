// SPDX-License-Identifier: MIT
// Call chains out of copied stacks, by the call frame information of the objects: what
// `perf record --call-graph dwarf` leaves to be done. Of x86-64 alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcommon/symbols/call_frames.h"

namespace aiflame {

struct UnwindState {
  Registers registers;
  std::string_view stack;  // from the stack pointer up
};

// Code of a process: what its object says of it, and where in the object it is.
struct UnwindPlace {
  CallFrames* object = nullptr;
  uint64_t vaddr = 0;
};
// False where no file is mapped.
using FindUnwindPlace = std::function<bool(uint64_t address, UnwindPlace& out)>;

// Appends the addresses, leaf first: of callers those of the calls. As far as it goes.
void unwind(const UnwindState& state, const FindUnwindPlace& find, size_t limit,
            std::vector<uint64_t>& out);

}  // namespace aiflame
