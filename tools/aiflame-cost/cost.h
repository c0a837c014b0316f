// SPDX-License-Identifier: MIT
// Time, and what is assumed of it, to energy, carbon and money.
//
// The carbon is that of the Software Carbon Intensity, SCI (ISO/IEC 21031):
//
//   SCI = (E * I + M) per R      E energy, I intensity of the grid, R the unit of work
//   M = TE * TiR / EL * RR / ToR       TE --embodied, EL --lifetime, RR / ToR --embodied-share,
//                                      TiR the time that the device was reserved
#pragma once

#include <optional>

#include "tools/aiflame-cost/assumptions.h"

namespace aiflame::cost {

// Of the stacks, and of the time in which a reserved device was idle.
struct Parts {
  double stacks = 0, idle = 0;

  double total() const { return stacks + idle; }
  Parts operator*(double factor) const { return {stacks * factor, idle * factor}; }
  Parts operator+(const Parts& other) const { return {stacks + other.stacks, idle + other.idle}; }
};

// What is not there cannot be known from the assumptions.
struct Cost {
  Parts seconds;
  std::optional<Parts> joules;       // with what the site adds
  std::optional<Parts> operational;  // gCO2e: E * I
  std::optional<Parts> embodied;     // gCO2e: M
  std::optional<Parts> money;

  // gCO2e, operational and, where it is known, embodied
  std::optional<Parts> carbon() const;
};

// Throws Error where the assumptions contradict the time.
Cost cost_of(double seconds, const Assumptions& assumptions);

}  // namespace aiflame::cost
