// SPDX-License-Identifier: MIT
// The frames of a kernel that torch.compile has made: the lines of the model that it came from, and
// the model's operations that were fused in it:
//
//   py::forward:model.py:24; py::forward:model.py:14; [compiled]; [fused: linear, gelu]
//
// A kernel of several lines stands on the part of their stacks that they share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/join/compiled_calls.h"

namespace aiflame::trace {

class CompiledFrames {
 public:
  struct Frames {
    std::vector<uint32_t> lines;
    std::string outermost;        // the first line's frame, without its line
    uint32_t fused = kNoNumber;   // kNoNumber: one operation, or not known
    uint32_t kernel = kNoNumber;  // a kernel in C++, which the profiler does not name
  };

  CompiledFrames(ImportedStacks& stacks, const NameRules& rules) : stacks_(stacks), rules_(rules) {}

  const Frames& of(CompiledChoice choice);
  // Of what the trace itself says: stacks, each ended by a NUL. `number`: the same for the same.
  const Frames& of_text(uint32_t number, std::string_view text);
  // [compiled]
  uint32_t mark() { return stacks_.frame("[compiled]"); }

 private:
  Frames make(CompiledChoice choice);

  ImportedStacks& stacks_;
  NameRules rules_;
  std::map<std::pair<const void*, size_t>, Frames> by_choice_;
  std::map<uint32_t, Frames> by_text_;
};

}  // namespace aiflame::trace
