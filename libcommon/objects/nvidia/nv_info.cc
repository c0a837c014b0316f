// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/nv_info.h"

#include <cstdint>
#include <cstring>
#include <optional>

namespace aiflame {
namespace {

constexpr unsigned char kSized = 4, kIndirectBranchTargets = 0x34;

template <typename T>
std::optional<T> take(std::string_view& bytes) {
  T value;
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

void read_jumps(std::string_view bytes, std::vector<FlowEdge>& out) {
  for (;;) {
    const auto from = take<uint32_t>(bytes);
    take<uint32_t>(bytes);
    const auto count = take<uint32_t>(bytes);
    if (!count) return;
    for (uint32_t i = 0; i < *count; ++i) {
      const auto to = take<uint32_t>(bytes);
      if (!to) return;
      out.push_back({*from, *to});
    }
  }
}

}  // namespace

std::vector<FlowEdge> indirect_jumps(std::string_view nv_info) {
  std::vector<FlowEdge> out;
  for (;;) {
    const auto format = take<unsigned char>(nv_info), attribute = take<unsigned char>(nv_info);
    const auto value = take<uint16_t>(nv_info);
    if (!value) return out;
    if (*format != kSized) continue;
    const std::string_view content = nv_info.substr(0, *value);
    nv_info.remove_prefix(content.size());
    if (*attribute == kIndirectBranchTargets) read_jumps(content, out);
  }
}

}  // namespace aiflame
