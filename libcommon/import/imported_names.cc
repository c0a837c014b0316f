// SPDX-License-Identifier: MIT
#include "libcommon/import/imported_names.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/device/function_name.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame {
namespace {

std::string_view file_name(std::string_view path, const NameRules& rules) {
  return rules.full_paths ? path : path.substr(path.rfind('/') + 1);
}

// An address says where an object lay in this run: "<method 'x' of Y object at 0x7f2a>".
std::string_view without_address(std::string_view name) {
  const size_t of = name.rfind(" of ");
  const size_t at = name.rfind(" at 0x");
  return at == std::string_view::npos || !name.ends_with('>') || of == std::string_view::npos ||
                 of > at
             ? name
             : name.substr(0, of);
}

}  // namespace

std::string python_frame(std::string_view name, const NameRules& rules) {
  std::string_view rest = name;
  if (take_prefix(rest, "nn.Module: ")) return module_frame(rest);
  // FILE(LINE): FUNCTION; the file's own name may hold parentheses
  const size_t end = name.rfind("): ");
  const size_t begin = end == std::string_view::npos ? end : name.rfind('(', end);
  if (begin != std::string_view::npos) {
    const auto line = parse_number<uint64_t>(name.substr(begin + 1, end - begin - 1));
    if (line) return python_frame(name.substr(end + 3), name.substr(0, begin), *line, rules);
  }
  const std::string_view known = without_address(name);
  return "py::" + std::string(known) + (known.size() < name.size() ? ">" : "");
}

std::string python_frame(std::string_view function, std::string_view file, uint64_t line,
                         const NameRules& rules) {
  if (file.empty()) return "py::" + std::string(function);
  // C:\Users\train.py
  std::string windows;
  if (file.size() > 2 && file[1] == ':' && file[2] == '\\') {
    windows = file;
    std::replace(windows.begin(), windows.end(), '\\', '/');
    file = windows;
  }
  return python_function(function, file, line > 0 ? std::to_string(line) : "",
                         {.full_paths = rules.full_paths, .lines = rules.lines});
}

std::string operator_frame(std::string_view name) {
  return std::string(name) + "_[o]";
}

std::string module_frame(std::string_view name) {
  return std::string(name) + "_[m]";
}

std::string range_frame(std::string_view name) {
  return std::string(name) + "_[r]";
}

std::string kernel_frame(std::string_view name, const NameRules& rules) {
  return name.empty() ? "[unknown kernel]_[G]"
                      : device_function_name(name, rules.full_names) + "_[G]";
}

std::string device_frame(std::string_view name) {
  return std::string(name) + "_[G]";
}

std::string device_file_frame(std::string_view path, uint64_t line, const NameRules& rules) {
  std::string out(file_name(path, rules));
  if (line > 0) out += ":" + std::to_string(line);
  return out + "_[G]";
}

std::string instruction_frame(std::string_view text) {
  std::string_view name = take_field(text);
  // predicates: `@!P0 BRA`, and Intel's `(W) mov`, `(~f0.0) mov`
  while (name.starts_with('@') || (name.starts_with('(') && name.ends_with(')')))
    name = take_field(text);
  while (name.ends_with(';') || name.ends_with(',')) name.remove_suffix(1);
  return std::string(name.empty() ? "[unknown]" : name) + "_[g]";
}

std::string reason_frame(std::string_view name) {
  const StallReason* known = find_stall_reason(name);
  return std::string(known != nullptr ? known->name : name) + "_[g]";
}

std::string offset_frame(uint64_t offset) {
  return format("0x%llx_[g]", static_cast<unsigned long long>(offset));
}

}  // namespace aiflame
