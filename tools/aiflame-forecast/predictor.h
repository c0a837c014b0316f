// SPDX-License-Identifier: MIT
// How long a device takes for an operator (pure).
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/device.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

enum class Method {
  table,       // the roofline, divided by the efficiency that was measured of the device
  others,      // … by the mean of the efficiencies of all other devices
  roofline,    // peak rates alone
  regression,  // a line for each family (Li et al.)
  habitat,     // a measured time by the ratios of peak rates (Yu et al., wave scaling)
};
inline constexpr std::array<std::string_view, 5> kMethodNames = {"table", "others", "roofline",
                                                                 "regression", "habitat"};

// The least time that peak rates allow, in seconds.
double roofline_seconds(const Work& work, const Device& device);

using Efficiencies = std::array<double, kMeasuredFamilies>;

// The mean of each family over the devices that were measured, but for one.
Efficiencies mean_efficiencies(const std::vector<Device>& devices, std::string_view but_for);

class Predictor {
 public:
  // `devices`: whose efficiencies stand in for those that the device lacks. Throws Error where a
  // method needs what the device's file lacks.
  Predictor(const Device& device, Method method, const std::vector<Device>& devices);

  double seconds(const Work& work) const;
  // Families whose efficiency is the mean of the others.
  bool is_mean(Family family) const;
  const Device& device() const { return device_; }

 private:
  Device device_;
  Method method_;
  Efficiencies efficiency_{};
  std::array<bool, kMeasuredFamilies> is_mean_{};
};

// How long a device takes to send so many bytes to another one of its server; 0: it has no link.
double link_seconds(double bytes, const Device& device);

// The factor from a time on one device to a time on another, by wave scaling: between the ratio of
// bandwidths, where memory bounds the operator, and the ratio of the multiprocessors' rates.
double wave_scaling(const Work& work, const Device& from, const Device& to);

}  // namespace aiflame::forecast
