// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/comms.h"

#include <fstream>

#include "libcommon/base/program.h"

namespace aiflame::record {

void Comms::set_from_proc(uint32_t pid) {
  std::ifstream file(format("/proc/%u/comm", pid));
  std::string comm;
  if (std::getline(file, comm) && !comm.empty()) set_if_unknown(pid, comm);
}

const std::string& Comms::find(uint32_t pid) {
  static const std::string unknown = "[device]";
  const Name* known = names_.find(pid);
  // it may have been forgotten, long after its name was reported
  if (known == nullptr && pid != 0 && names_.has_forgotten()) {
    set_from_proc(pid);
    known = names_.find(pid);
  }
  return known != nullptr ? known->comm : unknown;
}

}  // namespace aiflame::record
