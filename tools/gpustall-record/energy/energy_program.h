// SPDX-License-Identifier: MIT
// A running program of plugins/energy/, which reads the energy counters of one vendor. It is
// another program since vendors' libraries may not be linked with the recorder, whose licence is
// GPL-2.0-only, and may crash or hang: that costs their counters, and never the recording.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gpustall-record/energy/energy_report.h"

namespace aiflame::record {

class EnergyProgram {
 public:
  // Starts it, and asks for a first reading. It ends with this process.
  explicit EnergyProgram(const std::string& path);
  ~EnergyProgram() { end(); }
  EnergyProgram(const EnergyProgram&) = delete;
  EnergyProgram& operator=(const EnergyProgram&) = delete;

  // Whether an answer is still to come. False once the program has ended.
  bool is_asked() const { return asked_ != 0; }
  // Asks for a reading, unless it is asked already or has ended.
  void ask();
  // Hears what it has said by now, or until it has answered, `patience_ms` at most.
  void hear(int patience_ms);
  // It has not answered in time: ends it.
  void give_up();

  const std::vector<EnergyReport::Counter>& counters() const { return report_.counters(); }
  const std::vector<std::string>& notes() const { return report_.notes(); }
  std::optional<EnergyReport::Reading> next() { return report_.next(); }
  bool has_ended() const { return socket_ < 0; }
  // Why there are no more readings; "" while there are.
  const std::string& failure() const { return failure_; }
  pid_t process() const { return process_; }

 private:
  [[nodiscard]] bool hear_once();
  void fail(const std::string& why);
  void end();

  int socket_ = -1;
  pid_t process_ = -1;
  uint64_t asked_ = 0;  // when, 0 = not
  EnergyReport report_;
  std::string failure_;
};

}  // namespace aiflame::record
