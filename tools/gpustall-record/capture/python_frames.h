// SPDX-License-Identifier: MIT
// Python frames as agents tell of them, and as gpustall(5) has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame::record {

class PythonFrames {
 public:
  // What `id` stands for in `pid`; line 0 = unknown.
  void add(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
           uint32_t line);
  GpustallFrame frame(uint32_t pid, uint64_t id) const;
  void forget(uint32_t pid);

 private:
  // A process tells of each place that it launches from, which is the program's size; one that
  // tells without end is not listened to beyond this.
  static constexpr size_t kMaxBytes = size_t{1} << 26;
  std::map<std::pair<uint32_t, uint64_t>, std::string> symbols_;
  size_t bytes_ = 0;
};

// The object of such a frame.
inline constexpr std::string_view kPythonObject = "[python]";
// `py::FUNCTION:FILE` of `py::FUNCTION:FILE:LINE`.
std::string_view without_line(std::string_view symbol);

}  // namespace aiflame::record
