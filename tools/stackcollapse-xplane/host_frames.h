// SPDX-License-Identifier: MIT
// The frames of what the threads of a plane did.
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

class HostFrames {
 public:
  HostFrames(const Plane& plane, const NameRules& rules, ImportedStacks& stacks)
      : rules_(rules), stacks_(stacks), frames_(plane.event_names().size(), kUnknown) {}

  // Functions of Python as py::FUNCTION:FILE, other marks as they are.
  uint32_t of(const EventName& name) {
    uint32_t& frame = frames_[name.number];
    if (frame == kUnknown) frame = make(name);
    return frame;
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  uint32_t make(const EventName& name) const;

  const NameRules& rules_;
  ImportedStacks& stacks_;
  std::vector<uint32_t> frames_;  // by the number of the name
};

}  // namespace aiflame::xplane
