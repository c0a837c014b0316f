// SPDX-License-Identifier: MIT
// Turns the Python frames that agents report into frames of gpustall(5).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/gpustall/gpustall_writer.h"
#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

class PythonFrames {
 public:
  // What is kept counts in `budgets`, as Kept::texts.
  explicit PythonFrames(Budgets& budgets) : budgets_(budgets) {}

  // Number `id` of process `pid` stands for this function and line; line 0 = unknown.
  void add(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
           uint32_t line);
  // `py::FUNCTION:FILE:LINE`; "[unknown]" for a number that was not added.
  GpustallFrame frame(uint32_t pid, uint64_t id) const;
  void forget(uint32_t pid);

 private:
  Budgets& budgets_;
  std::map<std::pair<uint32_t, uint64_t>, std::string> symbols_;
};

// The object name of a Python frame.
inline constexpr std::string_view kPythonObject = "[python]";
// Cuts `py::FUNCTION:FILE:LINE` to `py::FUNCTION:FILE`.
std::string_view without_line(std::string_view symbol);

}  // namespace aiflame::record
