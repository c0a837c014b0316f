// SPDX-License-Identifier: MIT
// The frames of kernels of compiled code (libcommon/import/compiled_frames.h), each made once.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/join/compiled_calls.h"

namespace aiflame::trace {

class CompiledStacks {
 public:
  struct Frames {
    std::vector<uint32_t> lines;
    ModelLine outermost;          // of `lines`
    uint32_t fused = kNoNumber;   // kNoNumber: one operation, or not known
    uint32_t kernel = kNoNumber;  // a kernel in C++, which the profiler does not name
  };

  CompiledStacks(ImportedStacks& stacks, const NameRules& rules) : stacks_(stacks), rules_(rules) {}

  const Frames& of(CompiledChoice choice);
  // Of what the trace itself says: stacks, each ended by a NUL. `number`: the same for the same.
  const Frames& of_text(uint32_t number, std::string_view text);

 private:
  Frames make(CompiledChoice choice);

  ImportedStacks& stacks_;
  NameRules rules_;
  std::map<std::pair<const void*, size_t>, Frames> by_choice_;
  std::map<uint32_t, Frames> by_text_;
};

}  // namespace aiflame::trace
