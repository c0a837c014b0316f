// SPDX-License-Identifier: MIT
// Where a device's code object says that its code lies on the device. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {

// A kernel, or what a module's kernels share: a section of its own.
struct DeviceCode {
  struct Function {
    uint64_t address = 0, bytes = 0;
    std::string name;
  };
  uint64_t address = 0, bytes = 0;  // on the device
  uint64_t file_offset = 0;
  std::string kernel;               // "" = code that kernels share
  std::vector<Function> functions;  // that have symbols; sorted
};

// What the ELF file `object` (Intel's zebin, NVIDIA's cubin: ELF64 little-endian) has in sections
// .text.KERNEL with an address, sorted by it. An address is as 48 bits of address space have it:
// the driver writes those of the upper half with their sign extended. With `base`, where the file
// has no addresses: that of all its sections is base + their offset in the file. Nothing in
// `object` is believed; of what is no such file, nothing.
std::vector<DeviceCode> device_code(std::string_view object, uint64_t base = 0);

}  // namespace aiflame::record
