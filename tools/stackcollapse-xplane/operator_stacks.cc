// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/operator_stacks.h"

#include <algorithm>
#include <vector>

#include "libcommon/import/xla_names.h"

namespace aiflame::xplane {
namespace {

// The lines of a stack, from the innermost on, that are drawn.
constexpr size_t kDeepest = 500;

// Of a graph's "command_buffer::fusion.1", the part that the program knows.
std::string_view last_part(std::string_view name) {
  const size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

uint64_t place_of(std::string_view text) {
  return reinterpret_cast<uintptr_t>(text.data()) + text.size();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty() && out.size() < kDeepest) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!text.empty()) out.push_back(kTruncated);
  return out;
}

}  // namespace

OperatorStacks::Known OperatorStacks::find(const Facts& facts, std::string_view name) {
  const Key key{place_of(facts.hlo_op), place_of(facts.hlo_module),   place_of(facts.path),
                place_of(facts.tf_op),  place_of(facts.source),       place_of(facts.source_stack),
                place_of(name),         facts.program.value_or(~0ULL)};
  const auto [at, added] = known_.try_emplace(key);
  if (added) at->second = make(facts, name);
  return at->second;
}

OperatorStacks::Known OperatorStacks::make(const Facts& facts, std::string_view name) {
  Known out;
  const std::string_view called = facts.hlo_op.empty() ? name : facts.hlo_op;
  HloModule* const module = facts.program ? modules_.find(*facts.program) : nullptr;
  const HloOperator* const known = module == nullptr ? nullptr : module->find(last_part(called));
  std::string_view module_name = facts.hlo_module;
  if (module_name.empty() && module != nullptr) module_name = module->name();
  if (settings_.frames.module && !module_name.empty())
    out.stack = stacks_.child(out.stack, module_frame(module_name));
  const uint32_t source = source_stack(facts, module, known);
  out.has_source = source != ImportedStacks::kEmpty;
  if (settings_.frames.source) out.stack = stacks_.append(out.stack, source);
  if (!settings_.frames.scope) return out;
  std::string_view path = facts.path;
  // ROCm has "XlaModule:" for all
  if (path.empty() && facts.tf_op != "XlaModule:") path = facts.tf_op;
  if (path.empty() && known != nullptr) path = known->path;
  if (path.empty()) path = facts.hlo_op;
  if (path.ends_with(':')) path.remove_suffix(1);
  out.stack = with_operator_path(out.stack, path, stacks_);
  return out;
}

// The program's own frames have functions. Else the lines that a TPU's operator has itself: the
// innermost is its source, which tells the order.
uint32_t OperatorStacks::source_stack(const Facts& facts, HloModule* module,
                                      const HloOperator* known) {
  uint32_t out = ImportedStacks::kEmpty;
  if (known != nullptr) out = module->python_stack(*known, settings_.import.names, stacks_);
  if (out != ImportedStacks::kEmpty) return out;
  std::vector<std::string_view> lines = lines_of(facts.source_stack);
  if (!lines.empty() && lines.front() == facts.source)
    std::reverse(lines.begin(), lines.end());
  else if (lines.empty() || lines.back() != facts.source)
    lines = {facts.source};
  for (std::string_view line : lines) {
    if (!settings_.import.names.full_paths) line = line.substr(line.rfind('/') + 1);
    if (!line.empty()) out = stacks_.child(out, line);
  }
  return out;
}

}  // namespace aiflame::xplane
