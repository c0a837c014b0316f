// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/host_frames.h"

#include "libcommon/import/xla_names.h"

namespace aiflame::xplane {

uint32_t HostFrames::make(const EventName& name) const {
  const std::string python = xla_python_frame(name.name, rules_);
  if (!python.empty()) return stacks_.frame(python);
  return stacks_.frame(name.display_name.empty() ? name.name : name.display_name);
}

}  // namespace aiflame::xplane
