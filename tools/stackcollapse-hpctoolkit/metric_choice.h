// SPDX-License-Identifier: MIT
// Which metric of a database is drawn, what its values are, and which metrics say for what reason
// they were counted (pure).
//
//   GCYCLES                 cycles of threads on the device, by samples of instructions
//     GCYCLES:ISU:UNK       … in which they issued
//     GCYCLES:STL:IDEP      … in which they stalled, for a reason: idep
//   GINST                   the same before 2025
//     GINST:STL_IDEP
//   GPUOP (s)               time of kernels, copies and all else on the device
//   CPUTIME (sec)           time of threads of the CPU
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/stackcollapse-hpctoolkit/metadata.h"

namespace aiflame::hpctoolkit {

// A metric whose values are part of the drawn metric's.
struct Reason {
  uint16_t number = 0;
  std::string name;  // "stl_idep"
};

struct MetricChoice {
  std::string_view name;
  uint16_t number = 0;
  Quantity quantity{};
  std::vector<Reason> reasons;
  std::optional<uint16_t> inclusive{};  // Metric's
};

// `name`: what the user wants; empty chooses among those that have values (`has_values`). Throws
// Error where there is none.
MetricChoice choose_metric(const std::vector<Metric>& metrics, std::string_view name,
                           const std::function<bool(uint16_t number)>& has_values);

// A value in the quantity's unit: seconds become ns. Values are counts, kept as floating-point
// numbers. nullopt if the value is not a count.
std::optional<uint64_t> weight_of(double value, const Quantity& quantity);

}  // namespace aiflame::hpctoolkit
