// SPDX-License-Identifier: MIT
// A cost as counts of folded text: whole numbers of a small unit.
#pragma once

#include <cstdint>
#include <string>

#include "tools/aiflame-cost/cost.h"

namespace aiflame::cost {

enum class Shown { joules, kilowatt_hours, carbon, money };

struct CountedCost {
  std::string unit;               // "nJ"
  uint64_t stacks = 0, idle = 0;  // in it
  uint64_t total() const { return stacks + idle; }
};

// Throws Error where the counts do not fit 64 bits.
CountedCost counted(const Cost& cost, Shown shown, const std::string& currency);

// "4.320 kJ": an amount of joules, gCO2e or money in the unit that fits.
std::string joules_text(double joules);
std::string watt_hours_text(double joules);
std::string carbon_text(double grams);
std::string money_text(double amount, const std::string& currency);

}  // namespace aiflame::cost
