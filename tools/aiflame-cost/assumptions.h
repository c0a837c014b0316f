// SPDX-License-Identifier: MIT
// What is assumed: everything that turns time into energy, carbon and money. Nothing has a default,
// and all of it is printed with the result.
#pragma once

#include <optional>
#include <string>

namespace aiflame::cost {

// A number as the user wrote it.
struct Given {
  double value = 0;
  std::string text;
};

struct Price {
  Given amount;
  std::string currency;  // "USD"
  bool of_energy;        // per kWh; else per hour of a device
};

// So many requests, or steps.
struct Work {
  Given number;
  std::string name;  // "requests"
};

struct Assumptions {
  std::optional<Given> power;       // W of a busy device
  std::optional<Given> joules;      // measured, of all devices together
  std::string counters;             // that measured them, where a recording says it
  std::optional<Given> reserved;    // s of device time, busy and idle
  std::optional<Given> idle_power;  // W of a device that is reserved and idle
  std::optional<Given> pue;         // energy of the site for one unit of energy of the devices
  std::optional<Given> grid;        // gCO2e/kWh
  // The three go together: kgCO2e to make and to dispose of a device; the years that it is in use;
  // the share of it that was reserved.
  std::optional<Given> embodied, lifetime, embodied_share;
  std::optional<Price> price;
  std::optional<Work> work;

  bool knows_energy() const { return power || joules; }
};

}  // namespace aiflame::cost
