// SPDX-License-Identifier: MIT
// The frames of a snapshot's stacks, as folded(5) has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-torch-memory/settings.h"
#include "tools/stackcollapse-torch-memory/snapshot.h"

namespace aiflame::torch_memory {

// What a frame is.
enum class FrameKind : uint8_t {
  python,
  native,  // C++
  noise,   // C++ that every stack has: the recorder of stacks, Python's interpreter, the dispatcher
  autograd,  // C++: the thread of backward passes begins here
};
FrameKind frame_kind(std::string_view name, std::string_view file, uint32_t line);

class StackFrames {
 public:
  StackFrames(const Snapshot& snapshot, const Settings& settings, ImportedStacks& stacks)
      : snapshot_(snapshot), settings_(settings), stacks_(stacks) {}

  // The snapshot's stack on top of `below`. Without frames: [no stack].
  uint32_t on(uint32_t below, uint32_t stack);

 private:
  struct Known {
    FrameKind kind = FrameKind::native;
    uint32_t text = kUnknown;  // a frame of ImportedStacks; kUnknown: not yet made
  };
  Known& known(uint32_t frame);

  const Snapshot& snapshot_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::vector<Known> frames_;
};

}  // namespace aiflame::torch_memory
