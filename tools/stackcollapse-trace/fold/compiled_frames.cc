// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/compiled_frames.h"

#include <algorithm>
#include <map>
#include <set>

namespace aiflame::trace {
namespace {

// Names of fused operations in a frame; the others are counted.
constexpr size_t kMostNames = 6;

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    out += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostNames) out += " and " + std::to_string(names.size() - kMostNames);
  return out;
}

// The innermost lines by their files: "model.py:13,15".
std::vector<std::string> lines_of(const CompiledKernel& kernel) {
  std::map<std::string_view, std::set<uint64_t>> lines;
  for (const ModelStack& stack : kernel.stacks) {
    const std::string_view file = stack.back().file;
    lines[file.substr(file.rfind('/') + 1)].insert(stack.back().line);
  }
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

const CompiledFrames::Frames& CompiledFrames::of(CompiledChoice choice) {
  const auto [at, is_new] = by_choice_.try_emplace({choice.data(), choice.size()});
  if (is_new) at->second = make(choice);
  return at->second;
}

const CompiledFrames::Frames& CompiledFrames::of_text(uint32_t number, std::string_view text) {
  const auto [at, is_new] = by_text_.try_emplace(number);
  if (!is_new) return at->second;
  CompiledKernel kernel;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\0'), text.size());
    ModelStack stack = parse_model_stack(text.substr(0, end));
    if (!stack.empty()) kernel.stacks.push_back(std::move(stack));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const CompiledKernel* const one = &kernel;
  at->second = make({&one, 1});
  return at->second;
}

CompiledFrames::Frames CompiledFrames::make(CompiledChoice choice) {
  Frames out;
  NameRules with_lines = rules_, without = rules_;
  with_lines.lines = true;
  without.lines = false;
  for (const ModelLine& line : common_model_stack(choice)) {
    if (out.lines.empty()) out.outermost = python_frame(line.function, line.file, 0, without);
    out.lines.push_back(stacks_.frame(
        python_frame(line.function, line.file, line.line, line.line > 0 ? with_lines : without)));
  }
  if (choice.size() != 1) return out;
  const CompiledKernel& kernel = *choice[0];
  if (kernel.stacks.empty() ? !kernel.nodes.empty() : !is_of_one_line(kernel))
    out.fused = stacks_.frame(fused_text(kernel));
  if (kernel.name.starts_with("cpp_fused_"))
    out.kernel = stacks_.frame(operator_frame(kernel.name));
  return out;
}

}  // namespace aiflame::trace
