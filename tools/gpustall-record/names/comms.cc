// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/comms.h"

#include <algorithm>
#include <fstream>

#include "libcommon/base/program.h"

namespace aiflame::record {

void Comms::set(uint32_t pid, uint64_t time, std::string_view comm) {
  Names& names = names_.at(pid);
  if (!names.empty()) {
    Name& last = names.back();
    if (last.comm == comm) {  // one of two that tell the same knows the time better
      last.until = kNow;
      if (names.size() > 1) {
        Name& before = *(names.end() - 2);
        before.until = std::min(before.until, time);
      }
      return;
    }
    last.until = std::min(last.until, time);
    if (names.size() >= kMostOfProcess) names.erase(names.begin());
  }
  names.push_back({std::string(comm)});
}

void Comms::set_if_unknown(uint32_t pid, uint64_t time, std::string_view comm) {
  const Names* known = names_.find(pid);
  if (known == nullptr || known->back().until != kNow) set(pid, time, comm);
}

void Comms::set_from_proc(uint32_t pid, uint64_t time) {
  std::ifstream file(format("/proc/%u/comm", pid));
  std::string comm;
  if (std::getline(file, comm) && !comm.empty()) set_if_unknown(pid, time, comm);
}

void Comms::end_program(uint32_t pid, uint64_t time) {
  Names* known = names_.find(pid);
  if (known != nullptr && known->back().until == kNow) known->back().until = time;
}

const std::string& Comms::find(uint32_t pid, uint64_t time) {
  static const std::string unknown = "[device]";
  const Names* known = names_.find(pid);
  // it may have been forgotten, long after its name was reported
  if (known == nullptr && pid != 0 && names_.has_forgotten()) {
    set_from_proc(pid, time);
    known = names_.find(pid);
  }
  if (known == nullptr) return unknown;
  const auto at = std::find_if(known->begin(), known->end(),
                               [time](const Name& name) { return time < name.until; });
  return at != known->end() ? at->comm : known->back().comm;
}

}  // namespace aiflame::record
