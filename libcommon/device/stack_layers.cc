// SPDX-License-Identifier: MIT
#include "libcommon/device/stack_layers.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/parse.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/folded/device_match.h"
#include "libcommon/folded/folded.h"

namespace aiflame {
namespace {

// The endings of files in which kernels are written or from which they are generated. The names of
// functions may contain dots too (`scale.cold`), so only these endings mark a file.
constexpr std::string_view kSourceEndings[] = {".asm",  ".c",   ".cc",  ".cl",   ".comp", ".cpp",
                                               ".cu",   ".cuh", ".cxx", ".glsl", ".h",    ".hip",
                                               ".hlsl", ".hpp", ".inl", ".jl",   ".ll",   ".metal",
                                               ".mlir", ".ptx", ".py",  ".s",    ".spv",  ".sycl"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "matmul.cl:12"
bool is_line(std::string_view text) {
  const size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon > 0 && is_number(text.substr(colon + 1));
}

// "jit", "jit#2"
bool is_no_file(std::string_view text) {
  if (!take_prefix(text, kNoFile)) return false;
  return text.empty() || (take_prefix(text, "#") && is_number(text));
}

bool is_file(std::string_view text) {
  return is_no_file(text) ||
         std::any_of(std::begin(kSourceEndings), std::end(kSourceEndings),
                     [&](std::string_view ending) { return text.ends_with(ending); });
}

}  // namespace

FrameRole role_of(std::string_view frame) {
  if (frame == "-" || frame == "--") return FrameRole::boundary;
  const std::string_view text = without_annotation(frame);
  if (frame.ends_with("_[G]")) {
    if (text.starts_with(kLoopAt)) return FrameRole::loop;
    return is_line(text)   ? FrameRole::line
           : is_file(text) ? FrameRole::file
                           : FrameRole::device_function;
  }
  if (frame.ends_with("_[g]")) {
    if (is_offset(text)) return FrameRole::offset;
    if (text.starts_with(kWaitsFor)) return FrameRole::producer;
    return find_stall_reason(text) != nullptr ? FrameRole::reason : FrameRole::instruction;
  }
  if (frame.ends_with("_[o]")) return FrameRole::framework_operator;
  if (frame.ends_with("_[m]")) return FrameRole::model_module;
  return FrameRole::function;
}

void find_layers(const std::vector<FrameRole>& roles, Layers& layers) {
  layers.functions.clear();
  layers.operators.clear();
  layers.modules.clear();
  layers.lines.clear();
  layers.kernel = layers.offset = Layers::kNone;
  size_t first = Layers::kNone, second = Layers::kNone;
  for (size_t i = 0; i < roles.size(); ++i) {
    switch (roles[i]) {
      case FrameRole::function:
        layers.functions.push_back(i);
        break;
      case FrameRole::framework_operator:
        layers.functions.push_back(i);
        layers.operators.push_back(i);
        break;
      case FrameRole::model_module:
        layers.functions.push_back(i);
        layers.modules.push_back(i);
        break;
      case FrameRole::device_function:
        layers.functions.push_back(i);
        if (layers.kernel == Layers::kNone) layers.kernel = i;
        break;
      case FrameRole::line:
        layers.lines.push_back(i);
        break;
      case FrameRole::offset:
        layers.offset = i;
        break;
      case FrameRole::reason:
      case FrameRole::instruction:
        (first == Layers::kNone ? first : second) = i;
        break;
      case FrameRole::boundary:
      case FrameRole::file:
      case FrameRole::loop:
      case FrameRole::producer:
        break;
    }
  }
  const auto known = [&](size_t at) {
    return at != Layers::kNone && roles[at] == FrameRole::reason;
  };
  const bool reason_is_first = known(first) && !known(second);
  layers.mnemonic = reason_is_first ? second : first;
  layers.reason = reason_is_first ? first : second;
}

}  // namespace aiflame
