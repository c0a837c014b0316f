// SPDX-License-Identifier: MIT
#include "libcommon/import/compiled_frames.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace aiflame {
namespace {

// Names of fused operations in a frame, and files; the others are counted.
constexpr size_t kMostNames = 6;

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNames) out += " and " + std::to_string(names.size() - kMostNames);
  return out;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The innermost lines by their files: "model.py:13,15".
std::vector<std::string> lines_of(const CompiledKernel& kernel) {
  std::map<std::string_view, std::set<uint64_t>> lines;
  for (const ModelStack& stack : kernel.stacks)
    lines[file_name(stack.back().file)].insert(stack.back().line);
  std::vector<std::string> out;
  for (const auto& [file, numbers] : lines) {
    std::string text(file);
    for (const uint64_t number : numbers)
      text += (number == *numbers.begin() ? ":" : ",") + std::to_string(number);
    out.push_back(std::move(text));
  }
  return out;
}

std::string fused_text(const CompiledKernel& kernel) {
  const std::string nodes = listed(kernel.nodes), lines = listed(lines_of(kernel));
  return "[fused: " + nodes + (nodes.empty() || lines.empty() ? "" : " at ") + lines + "]";
}

bool is_of_one_line(const CompiledKernel& kernel) {
  return !kernel.stacks.empty() &&
         std::all_of(kernel.stacks.begin(), kernel.stacks.end(),
                     [&](const ModelStack& stack) { return stack == kernel.stacks[0]; });
}

}  // namespace

CompiledFrames compiled_frames(std::span<const CompiledKernel* const> choice,
                               const NameRules& rules) {
  CompiledFrames out;
  NameRules with_lines = rules, without = rules;
  with_lines.lines = true;
  without.lines = false;
  for (const ModelLine& line : common_model_stack(choice))
    out.lines.push_back(
        python_frame(line.function, line.file, line.line, line.line > 0 ? with_lines : without));
  if (choice.size() != 1) return out;
  const CompiledKernel& kernel = *choice[0];
  if (kernel.stacks.empty() ? !kernel.nodes.empty() : !is_of_one_line(kernel))
    out.fused = fused_text(kernel);
  return out;
}

bool is_function_of(std::string_view frame, const ModelLine& line) {
  // py::FUNCTION:FILE or py::FUNCTION:FILE:LINE
  const size_t file = frame.find(':', std::min(frame.size(), std::string_view("py::").size()));
  if (!frame.starts_with("py::") || file == std::string_view::npos) return false;
  std::string_view function = frame.substr(4, file - 4);
  function = function.substr(function.rfind('.') + 1);
  const std::string_view place = frame.substr(file + 1);
  return function == line.function &&
         file_name(place.substr(0, place.find(':'))) == file_name(line.file);
}

}  // namespace aiflame
