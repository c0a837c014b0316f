// SPDX-License-Identifier: MIT
#include "libcommon/device/nvidia/cubin_facts.h"

#include <algorithm>
#include <cstring>

namespace aiflame {
namespace {

constexpr unsigned char kSized = 4;
constexpr unsigned char kFrameSize = 0x11, kMinStackSize = 0x12, kRegisters = 0x2f;

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

KernelFacts cubin_facts(std::string_view nv_info, uint32_t symbol) {
  KernelFacts out;
  while (nv_info.size() >= 4) {
    const auto format = static_cast<unsigned char>(nv_info[0]);
    const auto attribute = static_cast<unsigned char>(nv_info[1]);
    const size_t bytes = word_at(nv_info, 0) >> 16;
    nv_info.remove_prefix(4);
    if (format != kSized) continue;
    const std::string_view content = nv_info.substr(0, bytes);
    nv_info.remove_prefix(content.size());
    if (content.size() < 8 || word_at(content, 0) != symbol) continue;
    const uint64_t value = word_at(content, 4);
    if (attribute == kRegisters) out.registers = value;
    if (attribute == kFrameSize || attribute == kMinStackSize)
      out.scratch = std::max(out.scratch.value_or(0), value);
  }
  return out;
}

}  // namespace aiflame
