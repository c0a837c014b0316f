// SPDX-License-Identifier: MIT
// The frames below all others: --by-time and --rank.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/settings.h"

namespace aiflame::xplane {

class RootFrames {
 public:
  // `host`: that wrote the file.
  RootFrames(std::string host, const Settings& settings, ImportedStacks& stacks)
      : settings_(settings), stacks_(stacks), host_("rank " + std::move(host)) {}

  // `time`: ps
  uint32_t stack_at(int64_t time) const;

 private:
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::string host_;
};

}  // namespace aiflame::xplane
