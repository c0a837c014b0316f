// SPDX-License-Identifier: MIT
// Reads energy counters, for --energy: the kernel's, of processors by RAPL (powercap) and what
// drivers offer as hwmon, Intel's GPUs among them; and those of vendors' libraries, each by a
// program of its own (energy_program.h).
//
//   /sys/class/powercap/intel-rapl:0/{name,energy_uj,max_energy_range_uj}
//   /sys/class/hwmon/hwmon3/{name,energy1_label,energy1_input}
//
// All count microjoules. RAPL's counters start again from 0 at their range; a busy server gets
// there in minutes, so counters are read more often than that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcommon/gpustall/energy_reading.h"
#include "tools/gpustall-record/energy/energy_program.h"

namespace aiflame::record {

// What a counter counted between two readings. `range`: the highest reading, 0 = not known. Nothing
// where it was set back and nobody knows from where.
std::optional<uint64_t> counted_between(uint64_t before, uint64_t after, uint64_t range);

class EnergyCounters {
 public:
  // How long programs may take: to find their counters, which where a driver starts without
  // persistence takes a second or more for each GPU, and for the readings at both ends.
  struct Patience {
    int first_ms = 20000, last_ms = 2000;
  };

  // Starts the programs in `programs`, finds the kernel's counters below `classes` ("/sys/class"),
  // and takes the first readings. Throws Error where there is no counter that may be read.
  EnergyCounters(const std::string& classes, const std::string& programs, Patience patience);
  ~EnergyCounters();
  EnergyCounters(const EnergyCounters&) = delete;
  EnergyCounters& operator=(const EnergyCounters&) = delete;

  // What was counted since the last readings, if they are a second old, or `last`; else what
  // programs have answered meanwhile.
  std::vector<EnergyReading> read(uint64_t now, bool last);
  // Which counters are missing, and why.
  std::vector<std::string> complaints() const;
  // Which counters there are twice, and which are used.
  const std::vector<std::string>& remarks() const { return remarks_; }
  bool has_process(pid_t process) const;

 private:
  struct Counter {
    std::string source, name;
    int file;
    uint64_t range;
    uint64_t before;
  };
  // A counter of a program, as the recording has it.
  struct Followed {
    size_t index;  // in the program's readings
    uint64_t number;
    std::string name;
    std::optional<uint64_t> before;
  };
  struct Vendor {
    std::string file;  // "energy-nvml"
    std::unique_ptr<EnergyProgram> program;
    std::vector<Followed> counters;
    uint64_t since;  // the last reading

    std::string source() const;  // "nvml"
    std::vector<std::string> complaints() const;
  };

  void find_rapl(const std::string& directory);
  void find_hwmon(const std::string& directory);
  void add(const std::string& path, std::string source, std::string name, uint64_t range);
  std::string own_name(std::string name);
  void start_vendors(const std::string& directory);
  void follow_vendors();
  void follow(Vendor& vendor);
  void take_answers(Vendor& vendor, bool last, std::vector<EnergyReading>& out);
  void take_last(Vendor& vendor, uint64_t now, std::vector<EnergyReading>& out);

  const Patience patience_;
  std::vector<Counter> counters_;
  std::vector<Vendor> vendors_;
  std::set<std::string> names_, places_;  // of all counters; of devices with hwmon's
  std::vector<std::string> closed_, remarks_;
  uint64_t last_ = 0, numbers_ = 0;
};

}  // namespace aiflame::record
