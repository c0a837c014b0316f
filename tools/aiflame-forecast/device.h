// SPDX-License-Identifier: MIT
// A device as a forecast knows it: what its vendor's sheet says, and what was measured of it.
//
//   source NVIDIA, H100 Tensor Core GPU datasheet
//   name NVIDIA H100 SXM5 80 GB
//   units 132
//   memory 80 GB
//   bandwidth 3350 GB/s
//   cache 50 MB
//   link 900 GB/s
//   vector fp32 67 TFLOPS
//   matrix bf16 989.5 TFLOPS
//   efficiency linear 0.730
//   regression linear 2.9e-14 0
//
// aiflame-forecast(1) describes the keys.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// Seconds are slope * work + intercept; the work of a matrix operator is its operations, that of
// the others its bytes.
struct Regression {
  double slope = 0, intercept = 0;
};

struct Device {
  std::string file;  // without directory and ".device"
  std::string name;
  std::vector<std::string> sources;
  double units = 0;      // multiprocessors, compute units, Xe cores, tensor processor cores
  double memory = 0;     // bytes
  double bandwidth = 0;  // bytes a second
  double cache = 0;      // bytes of the last level; 0: unknown
  double link = 0;       // bytes a second to other devices, both directions together; 0: none
  std::array<double, kDataTypes> vector{}, matrix{};  // operations a second; 0: none
  std::array<std::optional<double>, kMeasuredFamilies> efficiency;
  std::array<std::optional<Regression>, kMeasuredFamilies> regression;

  bool is_measured() const;
  bool has_type(DataType type) const;
  // The rate of the matrix or vector units at a type. A device without that type computes in a
  // wider one, or in whatever it has.
  double rate(bool of_matrix, DataType type) const;
};

inline constexpr std::string_view kDeviceSuffix = ".device";

// Reads a device's file. Throws Error with its path:line.
Device read_device(const std::string& path);

}  // namespace aiflame::forecast
