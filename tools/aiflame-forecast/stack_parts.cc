// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/stack_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/folded/folded.h"
#include "libcommon/timeline/idle_causes.h"

namespace aiflame::forecast {
namespace {

constexpr std::string_view kInstruction = "_[g]", kOperator = "_[o]", kBoundary = ";-;";

std::string_view last_frame(std::string_view stack) {
  const size_t semicolon = stack.rfind(';');
  return semicolon == std::string_view::npos ? stack : stack.substr(semicolon + 1);
}

// A size, alone or in a shape: "888x2880", "1,", "2880". A cheap look before it is parsed.
bool has_shapes(std::string_view op) {
  return !op.empty() && is_digit(op.back()) && op.find(' ') != std::string_view::npos;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// stackcollapse-trace puts a class of sizes on top of a kernel that communicates. It is no kernel:
//   ncclDevKernel_Generic_[G];allreduce 16 to 256 MiB_[G]
bool is_size_frame(std::string_view frame) {
  frame = without_annotation(frame);
  return frame.ends_with(" under 64 KiB") || frame.ends_with(" 64 KiB to 1 MiB") ||
         frame.ends_with(" 1 to 16 MiB") || frame.ends_with(" 16 to 256 MiB") ||
         frame.ends_with(" 256 MiB and more");
}

// The mark of idle time stands among so many frames at the root.
constexpr size_t kMarkedFrames = 8;

bool has_idle_frame(std::string_view stack) {
  for (size_t i = 0; i < kMarkedFrames && !stack.empty(); ++i) {
    const std::string_view frame = first_frame(stack);
    if (is_idle_frame(frame)) return true;
    stack.remove_prefix(std::min(frame.size() + 1, stack.size()));
  }
  return false;
}

}  // namespace

StackParts split_stack(std::string_view stack) {
  StackParts out;
  out.is_idle = has_idle_frame(stack);
  while (stack.ends_with(kInstruction)) {
    const size_t semicolon = stack.rfind(';');
    if (semicolon == std::string_view::npos) break;
    stack = stack.substr(0, semicolon);
  }
  out.stack = stack;
  std::string_view host = stack;
  if (const size_t boundary = stack.rfind(kBoundary); boundary != std::string_view::npos) {
    host = stack.substr(0, boundary);
    out.kernel = last_frame(stack);
    const std::string_view below = stack.substr(0, stack.size() - out.kernel.size() - 1);
    // below the boundary there is none
    if (is_size_frame(out.kernel) && below.size() > boundary + 1) out.kernel = last_frame(below);
  }
  for (size_t end = host.size(); end >= kOperator.size();) {
    const size_t at = host.rfind(kOperator, end - kOperator.size());
    if (at == std::string_view::npos) break;
    const size_t after = at + kOperator.size();
    if (after == host.size() || host[after] == ';') {
      const std::string_view op = last_frame(host.substr(0, at));
      if (has_shapes(op)) {
        out.op = op;
        break;
      }
    }
    end = at;
  }
  return out;
}

std::optional<DataType> type_of_kernel(std::string_view kernel) {
  // the first that fits: bf16 before f16, as one contains the other
  constexpr std::array<std::pair<std::string_view, DataType>, 18> kWords = {{
      {"bf16", DataType::bf16},
      {"BFloat16", DataType::bf16},
      {"_BBS_", DataType::bf16},
      {"_B_BS_", DataType::bf16},
      {"e4m3", DataType::fp8},
      {"e5m2", DataType::fp8},
      {"fp8", DataType::fp8},
      {"Float8", DataType::fp8},
      {"tf32", DataType::tf32},
      {"_HHS_", DataType::fp16},
      {"_HSS_", DataType::fp16},
      {"f16", DataType::fp16},
      {"Half", DataType::fp16},
      {"hgemm", DataType::fp16},
      {"h884", DataType::fp16},
      {"dgemm", DataType::fp64},
      {"sgemm", DataType::fp32},
      {"f32", DataType::fp32},
  }};
  for (const auto& [word, type] : kWords)
    if (contains(kernel, word)) return type;
  return std::nullopt;
}

std::optional<Family> family_of_kernel(std::string_view kernel) {
  if (contains(kernel, "nccl") || contains(kernel, "rccl")) return Family::collective;
  if (kernel.starts_with("Memcpy HtoD") || kernel.starts_with("Memcpy DtoH") ||
      contains(kernel, "HostToDevice") || contains(kernel, "DeviceToHost") ||
      kernel.starts_with("CopyHostToDevice") || kernel.starts_with("CopyDeviceToHost"))
    return Family::host;
  return std::nullopt;
}

}  // namespace aiflame::forecast
