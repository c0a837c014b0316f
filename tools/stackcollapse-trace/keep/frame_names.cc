// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/frame_names.h"

#include <map>

#include "libcommon/import/imported_names.h"

namespace aiflame::trace {
namespace {

// "nn.Module: Linear_3" is the fourth Linear of its model.
std::string_view without_number(std::string_view module) {
  const size_t end = module.find_last_not_of("0123456789");
  return end == std::string_view::npos || end + 1 == module.size() || module[end] != '_'
             ? module
             : module.substr(0, end);
}

}  // namespace

FrameNames::Host FrameNames::host(Kind& kind, std::string_view name) {
  if (kind == Kind::python && name.starts_with("nn.Module: ")) kind = Kind::module;
  return find(host_[static_cast<size_t>(kind)], name, [&] {
    return Host{kind == Kind::python ? python(name) : stacks_.frame(host_text(kind, name)),
                compiler_part(kind, name)};
  });
}

// The frame has its line until all are known: a file may have several functions of one name.
uint32_t FrameNames::python(std::string_view name) {
  NameRules with_line = rules_;
  with_line.lines = true;
  const uint32_t lined = stacks_.frame(python_frame(name, with_line));
  without_line_.emplace(lined, stacks_.frame(python_frame(name, rules_)));
  return lined;
}

void FrameNames::tell_functions_apart(GrowingArray<Slice>& slices) {
  std::unordered_map<uint32_t, uint32_t> functions;  // of a frame without a line: how many
  for (const auto& [lined, plain] : without_line_) ++functions[plain];
  std::vector<uint32_t> frames;  // by frame: what becomes of it, if not 0
  for (const auto& [lined, plain] : without_line_) {
    if (functions[plain] > 1) continue;
    if (frames.size() <= lined) frames.resize(lined + 1);
    frames[lined] = plain + 1;
  }
  for (Slice& slice : slices)
    if (slice.frame < frames.size() && frames[slice.frame] != 0)
      slice.frame = frames[slice.frame] - 1;
}

std::string FrameNames::many_modules() const {
  constexpr size_t kMany = 8;
  if (merge_modules_) return {};
  const TextTable& modules = host_[static_cast<size_t>(Kind::module)].names;
  std::map<std::string_view, size_t> numbered;
  for (uint32_t i = 0; i < modules.size(); ++i) {
    const std::string_view name = modules.text(i), kind = without_number(name);
    if (kind.size() < name.size() && ++numbered[kind] > kMany)
      return std::string(kind.substr(kind.find(' ') + 1));
  }
  return {};
}

std::string FrameNames::host_text(Kind kind, std::string_view name) const {
  switch (kind) {
    case Kind::range:
      return range_frame(name);
    case Kind::module:
      return python_frame(merge_modules_ ? without_number(name) : name, rules_);
    case Kind::python:
      return python_frame(name, rules_);
    case Kind::op:
      return operator_frame(name);
    case Kind::runtime:
    case Kind::forward:
    case Kind::plain:
      break;
  }
  return std::string(name);
}

uint32_t FrameNames::kernel(std::string_view name) {
  return find(kernels_, name, [&] { return stacks_.frame(kernel_frame(name, rules_)); });
}

uint32_t FrameNames::device(std::string_view name) {
  return find(others_, name, [&] { return stacks_.frame(device_frame(name)); });
}

}  // namespace aiflame::trace
