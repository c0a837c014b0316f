// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/frame_names.h"

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
    return Host{stacks_.frame(host_text(kind, name)), compiler_part(kind, name)};
  });
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
