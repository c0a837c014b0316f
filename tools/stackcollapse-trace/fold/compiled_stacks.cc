// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/compiled_stacks.h"

#include <algorithm>

#include "libcommon/import/compiled_frames.h"

namespace aiflame::trace {

const CompiledStacks::Frames& CompiledStacks::of(CompiledChoice choice) {
  const auto [at, is_new] = by_choice_.try_emplace({choice.data(), choice.size()});
  if (is_new) at->second = make(choice);
  return at->second;
}

const CompiledStacks::Frames& CompiledStacks::of_text(uint32_t number, std::string_view text) {
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

CompiledStacks::Frames CompiledStacks::make(CompiledChoice choice) {
  Frames out;
  const CompiledFrames frames = compiled_frames(choice, rules_);
  for (const std::string& line : frames.lines) out.lines.push_back(stacks_.frame(line));
  if (!frames.lines.empty()) out.outermost = choice[0]->stacks[0][0];
  if (!frames.fused.empty()) out.fused = stacks_.frame(frames.fused);
  if (choice.size() == 1 && choice[0]->name.starts_with("cpp_fused_"))
    out.kernel = stacks_.frame(operator_frame(choice[0]->name));
  return out;
}

}  // namespace aiflame::trace
