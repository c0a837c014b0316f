// SPDX-License-Identifier: MIT
// How much of a device's peak rates a product reaches, by a small network in the form of NeuSight:
// it sees a product's tiles as the device's units run them, wave by wave, and knows of the device
// only its rates, so that it can tell of devices that nobody has measured.
//
// scripts/forecast-train.py makes the weights of measurements in fp32: of all devices that were
// measured, and for each of them those of all others.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/device.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// What the network sees, as log2.
struct NetworkInputs {
  double intensity;  // of a tile: its time to compute over its time to move
  double waves;      // of tiles on all units of the device
};

// Of tiles as large as a product allows, from 32 to 128 rows and columns (pure).
NetworkInputs network_inputs(const Work& work, const Device& device);

struct Network {
  struct Range {
    double low, high;
  };
  std::array<double, 3> gain{}, loss{};  // a bias, and the weights of both inputs
  Range intensity{}, waves{};            // of what it was trained on; it is not asked beyond

  // Positive, at most 1.
  double utilisation(const NetworkInputs& inputs) const;
  bool is_in_range(const NetworkInputs& inputs) const;
};

class Networks {
 public:
  // The network of a family that was not trained on the device of this file; null: none.
  const Network* find(Family family, std::string_view device) const;

  void add(Family family, std::string_view device, const Network& network);
  bool has(Family family, std::string_view device) const;

 private:
  struct Entry {
    Family family;
    std::string device;
    Network network;
  };
  std::vector<Entry> entries_;
};

// Reads a file of weights. Throws Error with its path:line.
Networks read_networks(const std::string& path);

}  // namespace aiflame::forecast
