// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/comms.h"

#include <fstream>

#include "libcommon/base/program.h"

namespace aiflame::record {

void Comms::set_from_proc(uint32_t pid) {
  std::ifstream file(format("/proc/%u/comm", pid));
  std::string comm;
  if (std::getline(file, comm) && !comm.empty()) comms_.try_emplace(pid, comm);
}

const std::string& Comms::find(uint32_t pid) const {
  static const std::string unknown = "[device]";
  const auto known = comms_.find(pid);
  return known != comms_.end() ? known->second : unknown;
}

}  // namespace aiflame::record
