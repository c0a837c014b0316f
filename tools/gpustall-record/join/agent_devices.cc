// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/agent_devices.h"

namespace aiflame::record {
namespace {

// "0000:03:00.0 tile 0" is a part of "0000:03:00.0" and of itself.
bool is_in(std::string_view part, std::string_view whole) {
  return part.starts_with(whole) && (part.size() == whole.size() || part[whole.size()] == ' ');
}

}  // namespace

const std::string* AgentDevices::place(uint32_t device) const {
  const auto known = places_.find(device);
  return known == places_.end() ? nullptr : &known->second;
}

// The place of a card stands for all its tiles. A place that no device of the source has is a
// device of its own, numbered after the source's. Without a place it could be any device, so it
// stands for all of them.
void AgentDevices::set_number(uint32_t pid, uint32_t number, std::string_view place, bool learn) {
  if (number == 0 || number > kMost) return;
  std::vector<uint32_t>& devices = of_processes_[{pid, number}];
  devices.clear();
  if (learn && !place.empty())
    for (auto& [device, at] : places_)
      if (at.empty() || at == place) {
        at = place;
        devices.push_back(device);
        return;
      }
  for (const auto& [device, at] : places_)
    if (place.empty() || is_in(at, place) || is_in(place, at)) devices.push_back(device);
  if (devices.empty())
    devices.push_back((places_.empty() ? 0 : places_.rbegin()->first + 1) + number - 1);
}

const std::vector<uint32_t>& AgentDevices::find(uint32_t pid, uint32_t number) const {
  static const std::vector<uint32_t> first{0};
  const auto known = of_processes_.find({pid, number});
  return known == of_processes_.end() || known->second.empty() ? first : known->second;
}

void AgentDevices::forget(uint32_t pid) {
  of_processes_.erase(of_processes_.lower_bound({pid, 0}),
                      of_processes_.upper_bound({pid, UINT32_MAX}));
}

}  // namespace aiflame::record
