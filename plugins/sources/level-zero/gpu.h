// SPDX-License-Identifier: MIT
// The GPUs of Level Zero's drivers. Each tile has its own sampler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/sources/level-zero/loader.h"

namespace aiflame::source::level_zero {

struct Tile {
  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  std::string name;          // "Intel(R) Arc(TM) B580 Graphics"
  std::string place;         // "0000:03:00.0 tile 0"
  uint64_t ns_per_tick = 0;  // of its timestamps
  unsigned ip_major = 0;     // of the graphics engine, 0 = unknown
};

// In the drivers' order. Throws Error when there is none.
std::vector<Tile> find_tiles();

// What a stream of stall samples is opened with.
struct StallGroup {
  zet_metric_group_handle_t group = nullptr;
  std::vector<std::string> metrics;  // names, in the order of a row of values
};
// Throws Error when the driver does not show one.
StallGroup find_stall_group(const Tile& tile);

}  // namespace aiflame::source::level_zero
