// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/memory_sizes.h"

#include <cinttypes>

#include "libcommon/base/program.h"

namespace aiflame::record {

std::string MemorySizes::take(uint32_t device, uint64_t bytes) {
  const auto known = sizes_.find(device);
  if (known == sizes_.end()) {
    if (sizes_.size() >= kMost) return "";
    sizes_[device] = bytes;
    return format("memory %u : %" PRIu64 " bytes", device, bytes);
  }
  if (known->second == bytes || known->second == kDifferent) return "";
  known->second = kDifferent;
  return format("memory %u : ?", device);
}

}  // namespace aiflame::record
