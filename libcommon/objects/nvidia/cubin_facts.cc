// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/cubin_facts.h"

#include <algorithm>
#include <cstdint>

#include "libcommon/io/byte_cursor.h"

namespace aiflame {
namespace {

constexpr uint8_t kSized = 4;
constexpr uint8_t kFrameSize = 0x11, kMinStackSize = 0x12, kRegisters = 0x2f;

}  // namespace

KernelFacts cubin_facts(std::string_view nv_info, uint32_t symbol) {
  KernelFacts out;
  ByteCursor entries(nv_info);
  while (entries.left() >= 4) {
    const auto format = entries.take<uint8_t>(), attribute = entries.take<uint8_t>();
    const auto size = entries.take<uint16_t>();
    if (format != kSized) continue;
    ByteCursor content(entries.bytes(std::min<uint64_t>(size, entries.left())));
    const uint32_t its = content.u32();
    const uint64_t value = content.u32();
    if (!content.ok() || its != symbol) continue;
    if (attribute == kRegisters) out.registers = value;
    if (attribute == kFrameSize || attribute == kMinStackSize)
      out.scratch = std::max(out.scratch.value_or(0), value);
  }
  return out;
}

}  // namespace aiflame
