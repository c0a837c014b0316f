// SPDX-License-Identifier: MIT
// Where device samples come from (thread, device, kernel) as small numbers, and whether the filters
// let each of them pass. A filter is evaluated once, when the origin is first seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/filter/sample_filter.h"
#include "tools/stackcollapse-aiflame/fold/device_samplers.h"

namespace aiflame::collapse {

class SampleOrigins {
 public:
  explicit SampleOrigins(const SampleFilter& filter) : filter_(filter) {}

  // `# device N : SOURCE, NAME, …`, of this recording. Processes that use a device differently have
  // a line each.
  void describe_device(uint64_t index, std::string_view description);
  void forget_devices() { devices_.clear(); }

  uint32_t thread(std::string_view comm, int64_t pid, int64_t tid);
  uint32_t device(uint64_t index);
  uint32_t kernel(std::string_view name);
  // How a device's number is sampled: a number of samplers().
  uint32_t sampler(uint32_t device) const { return sampler_[device]; }
  const DeviceSamplers& samplers() const { return samplers_; }
  bool passes(uint32_t number) const { return passes_[number]; }

 private:
  // Numbers key_. True where it is new: the caller then adds to passes_.
  [[nodiscard]] bool add(uint32_t& number);
  uint32_t add_device(uint64_t index, std::string_view description, const DevicePeriod& period);

  const SampleFilter& filter_;
  TextTable keys_;
  std::vector<bool> passes_;       // by number
  std::vector<uint32_t> sampler_;  // by number, of devices
  DeviceSamplers samplers_;
  std::unordered_map<uint64_t, uint32_t> devices_;
  std::string key_;
};

}  // namespace aiflame::collapse
