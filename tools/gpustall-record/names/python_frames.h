// SPDX-License-Identifier: MIT
// Turns the Python frames that agents report into frames of gpustall(5).
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
  // Number `id` of process `pid` stands for this function and line; line 0 = unknown.
  void add(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
           uint32_t line);
  // `py::FUNCTION:FILE:LINE`; "[unknown]" for a number that was not added.
  GpustallFrame frame(uint32_t pid, uint64_t id) const;
  void forget(uint32_t pid);

 private:
  // For all processes. A program reports each place that it launches from once, so an honest one
  // needs no more memory than its own code; a hostile one could report names without end.
  static constexpr size_t kMaxBytes = size_t{1} << 26;
  std::map<std::pair<uint32_t, uint64_t>, std::string> symbols_;
  size_t bytes_ = 0;
};

// The object name of a Python frame.
inline constexpr std::string_view kPythonObject = "[python]";
// Cuts `py::FUNCTION:FILE:LINE` to `py::FUNCTION:FILE`.
std::string_view without_line(std::string_view symbol);

}  // namespace aiflame::record
