// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/frame_names.h"

#include "libcommon/import/imported_names.h"

namespace aiflame::trace {

uint32_t FrameNames::host(Kind& kind, std::string_view name) {
  if (kind == Kind::python && name.starts_with("nn.Module: ")) kind = Kind::module;
  return find(host_[static_cast<size_t>(kind)], name, [&]() -> std::string {
    switch (kind) {
      case Kind::range:
        return range_frame(name);
      case Kind::python:
      case Kind::module:
        return python_frame(name, rules_);
      case Kind::op:
        return operator_frame(name);
      case Kind::runtime:
      case Kind::forward:
      case Kind::plain:
        break;
    }
    return std::string(name);
  });
}

uint32_t FrameNames::kernel(std::string_view name) {
  return find(kernels_, name, [&] { return kernel_frame(name, rules_); });
}

uint32_t FrameNames::device(std::string_view name) {
  return find(others_, name, [&] { return device_frame(name); });
}

}  // namespace aiflame::trace
