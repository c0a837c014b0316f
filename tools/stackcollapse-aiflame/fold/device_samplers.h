// SPDX-License-Identifier: MIT
// How devices are sampled, as small numbers: what a sample stands for depends on its device, and is
// another thing in another recording.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "tools/stackcollapse-aiflame/fold/device_period.h"

namespace aiflame::collapse {

struct DeviceSampler {
  uint64_t device = 0;  // index
  DevicePeriod period{};

  bool operator<(const DeviceSampler& other) const {
    return std::tie(device, period) < std::tie(other.device, other.period);
  }
};

class DeviceSamplers {
 public:
  uint32_t number(const DeviceSampler& sampler) {
    const auto [at, added] = numbers_.try_emplace(sampler, static_cast<uint32_t>(samplers_.size()));
    if (added) samplers_.push_back(sampler);
    return at->second;
  }
  uint32_t size() const { return static_cast<uint32_t>(samplers_.size()); }
  const DeviceSampler& operator[](uint32_t number) const { return samplers_[number]; }

 private:
  std::map<DeviceSampler, uint32_t> numbers_;
  std::vector<DeviceSampler> samplers_;
};

}  // namespace aiflame::collapse
