// SPDX-License-Identifier: MIT
// How long a device takes for an operator (pure).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/device.h"
#include "tools/aiflame-forecast/network.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

enum class Method {
  table,  // the roofline, divided by the efficiency that was measured of the device, or as network
  network,     // … by what a network says of products in fp32, and for the rest as others
  others,      // … by the mean of the efficiencies of all other devices
  roofline,    // peak rates alone
  regression,  // a line for each family (Li et al.)
  habitat,     // a measured time by the ratios of peak rates (Yu et al., wave scaling)
};
inline constexpr std::array<std::string_view, 6> kMethodNames = {
    "table", "network", "others", "roofline", "regression", "habitat"};

// Where the efficiency of an operator is from.
enum class Basis {
  none,     // there is none: not a measured family, or not a method that has any
  device,   // it was measured
  network,  // of a network that has seen other devices
  others,   // the mean of the others
};

// The least time that peak rates allow, in seconds.
double roofline_seconds(const Work& work, const Device& device);

using Efficiencies = std::array<double, kMeasuredFamilies>;

// The mean of each family over the devices that were measured, but for one.
Efficiencies mean_efficiencies(const std::vector<Device>& devices, std::string_view but_for);

class Predictor {
 public:
  // `devices` and `networks`: what stands in for the efficiencies that the device lacks. Throws
  // Error where a method needs what the device's file lacks.
  Predictor(const Device& device, Method method, const std::vector<Device>& devices,
            const Networks& networks = {});

  double seconds(const Work& work) const;
  Basis basis(const Work& work) const;
  // Whether the network that tells of this operator, if one does, was trained on such.
  bool is_in_range(const Work& work) const;
  const Device& device() const { return device_; }

 private:
  Device device_;
  Method method_;
  Efficiencies mean_{};
  std::array<std::optional<Network>, kMeasuredFamilies> network_;
};

// The factor from a time on one device to a time on another, by wave scaling: between the ratio of
// bandwidths, where memory bounds the operator, and the ratio of the multiprocessors' rates.
double wave_scaling(const Work& work, const Device& from, const Device& to);

}  // namespace aiflame::forecast
