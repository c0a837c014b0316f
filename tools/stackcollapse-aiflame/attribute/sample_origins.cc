// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"

#include "libcommon/device/function_name.h"
#include "libcommon/perf_script/function_parameters.h"

namespace aiflame::collapse {

bool SampleOrigins::add(uint32_t& number) {
  bool added = false;
  number = keys_.number(key_, &added);
  return added;
}

void SampleOrigins::describe_device(uint64_t index, std::string_view description) {
  const DevicePeriod period = parse_device_period(description);
  const auto [at, added] = devices_.try_emplace(index, 0);
  // a sample does not say which of several lines it belongs to
  const bool known = added || samplers_[sampler_[at->second]].period == period;
  at->second = add_device(index, description, known ? period : DevicePeriod());
}

uint32_t SampleOrigins::add_device(uint64_t index, std::string_view description,
                                   const DevicePeriod& period) {
  key_ = "d" + std::to_string(index) + (period.length == 0 ? "?" : "") + "\n";
  key_.append(description);
  uint32_t number = 0;
  if (add(number)) {
    passes_.push_back(filter_.passes_device(index, description));
    sampler_.resize(number + 1);
    sampler_[number] = samplers_.number({index, period});
  }
  return number;
}

uint32_t SampleOrigins::device(uint64_t index) {
  const auto known = devices_.find(index);
  if (known != devices_.end()) return known->second;
  describe_device(index, "");
  return devices_.at(index);
}

uint32_t SampleOrigins::thread(std::string_view comm, int64_t pid, int64_t tid) {
  key_ = "t" + std::to_string(pid) + "/" + std::to_string(tid) + "\n";
  key_.append(comm);
  uint32_t number = 0;
  if (add(number)) passes_.push_back(filter_.passes_thread(comm, pid, tid));
  return number;
}

uint32_t SampleOrigins::kernel(std::string_view name) {
  key_.assign("k").append(name);
  uint32_t number = 0;
  if (add(number)) {
    // the name as recorded, as drawn with and without --full-names, and without parameters
    const std::string whole = device_function_name(name, true);
    const std::string bare = device_function_name(name, false);
    passes_.push_back(filter_.passes_kernel({name, whole, bare, without_parameters(whole)}));
  }
  return number;
}

}  // namespace aiflame::collapse
