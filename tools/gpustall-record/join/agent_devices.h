// SPDX-License-Identifier: MIT
// Translates the device numbers of agents to the source's devices, by the place in the machine.
// Pure.
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
  // The highest number that is accepted from a process; no machine has as many devices.
  static constexpr uint32_t kMost = 256;

  // A device of the source and its place: `0000:03:00.0 tile 0`, or "" when the source cannot see
  // it.
  void set_place(uint32_t device, const std::string& place) { places_[device] = place; }
  // Null for an unknown device.
  const std::string* place(uint32_t device) const;

  bool knows(uint32_t pid, uint32_t number) const { return of_processes_.contains({pid, number}); }
  // Process `pid` uses `number` for the device at `place`; see agent_device. `learn`: the place is
  // given to a device of the source that has none.
  void set_number(uint32_t pid, uint32_t number, std::string_view place, bool learn);
  // The source's devices that the number stands for, at least one.
  const std::vector<uint32_t>& find(uint32_t pid, uint32_t number) const;
  void forget(uint32_t pid);

 private:
  std::map<uint32_t, std::string> places_;                                       // by device
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> of_processes_;  // by (pid, number)
};

}  // namespace aiflame::record
