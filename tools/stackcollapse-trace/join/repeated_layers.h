// SPDX-License-Identifier: MIT
// Finds the layers of a model in the kernels of its graph (pure): a model that repeats a layer
// launches the same kernels again and again.
//
//   gather norm | gemm rope attend gemm | gemm rope attend gemm | … | norm gemm
//
// That is an inference: where a layer begins is not told, nor that what repeats is a layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame::trace {

struct RepeatedLayers {
  size_t begin = 0;   // the first kernel of the first layer
  size_t period = 0;  // kernels of a layer; 0: no layers were found
  size_t count = 0;   // layers

  // The layer of a kernel, from 0; `count`: of none.
  size_t layer_of(size_t kernel) const {
    return period == 0 || kernel < begin || kernel >= begin + period * count
               ? count
               : (kernel - begin) / period;
  }
};

// The shortest sequence of at least four names that repeats at least four times and makes up more
// than half of `names`, kernels in the order in which they ran. Of more than kMostKernels none is
// found: the search takes the square of their number.
inline constexpr size_t kMostKernels = size_t{1} << 13;
RepeatedLayers find_repeated_layers(const std::vector<uint32_t>& names);

}  // namespace aiflame::trace
