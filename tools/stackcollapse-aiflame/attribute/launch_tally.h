// SPDX-License-Identifier: MIT
// Counts the launches that are drawn, by kernel and size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "libcommon/device/device_frames.h"
#include "libcommon/folded/launch_fact.h"

namespace aiflame::collapse {

class LaunchTally {
 public:
  // What is written of a kernel with more sizes: the most frequent ones, and the others together.
  static constexpr size_t kMostSizes = 16;

  // `kernel`: its symbol. `start`: where its code begins, if that is known.
  void add(std::string_view kernel, const std::optional<CodePlace>& start, const LaunchSize& size,
           uint64_t launches);
  // Of kernels of which a size is known. `frames` names them.
  LaunchFacts facts(DeviceFrames& frames) const;

 private:
  struct Kernel {
    std::string symbol, path;  // of its code; empty where that is not known
    uint64_t offset = 0;
    bool operator<(const Kernel& other) const {
      return std::tie(symbol, path, offset) < std::tie(other.symbol, other.path, other.offset);
    }
  };
  std::map<Kernel, std::map<LaunchSize, uint64_t>> launches_;
};

}  // namespace aiflame::collapse
