// SPDX-License-Identifier: MIT
// How much memory each device has, as agents say it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/gpustall-record/join/agent_devices.h"

namespace aiflame::record {

class MemorySizes {
 public:
  // The header line that is new with this: "memory 0 : 17179869184 bytes"; "" if nothing is. Where
  // agents say different sizes, as where two devices have one number, it is "memory 0 : ?".
  std::string take(uint32_t device, uint64_t bytes);

 private:
  static constexpr uint64_t kDifferent = UINT64_MAX;
  static constexpr size_t kMost = AgentDevices::kMost;

  std::map<uint32_t, uint64_t> sizes_;  // by device
};

}  // namespace aiflame::record
