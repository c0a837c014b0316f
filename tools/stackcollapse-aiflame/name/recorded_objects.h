// SPDX-License-Identifier: MIT
// The build ids of the CPU objects of a recording, as it tells them: the object may be in a
// container, so that another file is at its path here, or none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/gpustall/gpustall_record.h"

namespace aiflame::collapse {

class RecordedObjects {
 public:
  // Takes the lines about build ids, and passes over others.
  void take_header(const GpustallRecord& header);
  void end_recording();

  bool empty() const { return of_all_.empty() && of_process_.empty(); }
  // Of an object of a process, as its frames name it; "" when it is not told.
  std::string_view build_id(int64_t pid, std::string_view path) const;

 private:
  std::map<std::string, std::string, std::less<>> of_all_;
  std::map<int64_t, std::map<std::string, std::string, std::less<>>> of_process_;
};

}  // namespace aiflame::collapse
