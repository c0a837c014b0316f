// SPDX-License-Identifier: MIT
// What agents mean by a device's number: devices of the source, by where they sit. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aiflame::record {

class AgentDevices {
 public:
  // Of one process: no machine has as many, and no agent numbers more.
  static constexpr uint32_t kMost = 256;

  // Where a device of the source sits: `0000:03:00.0 tile 0`, or "" where the source cannot see it.
  void set_place(uint32_t device, const std::string& place) { places_[device] = place; }
  // Null where nothing is known of the device.
  const std::string* place(uint32_t device) const;

  // `number` of process `pid` sits at `place`; see agent_device. `learn`: a device of the source
  // whose place is not known gets it.
  void tell(uint32_t pid, uint32_t number, std::string_view place, bool learn);
  // Devices of the source, one at least.
  const std::vector<uint32_t>& find(uint32_t pid, uint32_t number) const;
  void forget(uint32_t pid);

 private:
  std::map<uint32_t, std::string> places_;                                       // by device
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> of_processes_;  // by (pid, number)
};

}  // namespace aiflame::record
