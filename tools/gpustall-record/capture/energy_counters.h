// SPDX-License-Identifier: MIT
// Reads the energy counters of the kernel, for --energy: processors by RAPL (powercap), and what
// drivers offer as hwmon, Intel's GPUs among them.
//
//   /sys/class/powercap/intel-rapl:0/{name,energy_uj,max_energy_range_uj}
//   /sys/class/hwmon/hwmon3/{name,energy1_label,energy1_input}
//
// Both count microjoules. RAPL's counters start again from 0 at their range; a busy server gets
// there in minutes, so counters are read more often than that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/gpustall/energy_reading.h"

namespace aiflame::record {

// What a counter counted between two readings. `range`: the highest reading, 0 = not known. Nothing
// where it was set back and nobody knows from where.
std::optional<uint64_t> counted_between(uint64_t before, uint64_t after, uint64_t range);

class EnergyCounters {
 public:
  // Finds the counters below `classes` ("/sys/class") and takes their first readings. Throws Error
  // where there is none that may be read.
  EnergyCounters(const std::string& classes, uint64_t now);
  ~EnergyCounters();
  EnergyCounters(const EnergyCounters&) = delete;
  EnergyCounters& operator=(const EnergyCounters&) = delete;

  // What was counted since the last readings, if they are a second old, or `last`; else nothing.
  std::vector<EnergyReading> read(uint64_t now, bool last);
  // Counters that there are and that may not be read: "/sys/…: Permission denied".
  const std::vector<std::string>& closed() const { return closed_; }

 private:
  struct Counter {
    std::string source, name;
    int file;
    uint64_t range;
    uint64_t before;
  };

  void find_rapl(const std::string& directory);
  void find_hwmon(const std::string& directory);
  void add(const std::string& path, std::string source, std::string name, uint64_t range);

  std::vector<Counter> counters_;
  std::vector<std::string> closed_;
  uint64_t last_;
};

}  // namespace aiflame::record
