// SPDX-License-Identifier: MIT
// Shared by the CUDA programs here: a call that fails ends the program with a message.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace cuda {

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(result));
}

inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

// The device in use, with the properties that the number of samples depends on:
// "NAME, compute capability 9.0, N multiprocessors, N MHz"
inline std::string device_text() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) +
         "." + std::to_string(properties.minor) + ", " +
         std::to_string(attribute(cudaDevAttrMultiProcessorCount)) + " multiprocessors, " +
         std::to_string(attribute(cudaDevAttrClockRate) / 1000) + " MHz";
}

}  // namespace cuda
