// SPDX-License-Identifier: MIT
// How long devices take to exchange data: within a server by its links, between servers by a
// network that the user states (pure).
#pragma once

#include <cstdint>

#include "tools/aiflame-forecast/device.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// The devices that share the work of a model.
struct Cluster {
  uint64_t devices = 1;  // of each server
  uint64_t nodes = 1;    // servers
  uint64_t stages = 1;   // of the pipeline, split evenly over the servers
  double bandwidth = 0;  // bytes a second that a server sends into the network
  double latency = 0;    // seconds until a message between servers begins to arrive

  bool is_alone() const { return devices == 1 && nodes == 1; }
};

// Seconds of an all-reduce or of a message from a stage to the next; 0 where there is nobody to
// exchange data with, or the device has no link.
double collective_seconds(const Work& work, const Device& device, const Cluster& cluster);

}  // namespace aiflame::forecast
