// SPDX-License-Identifier: MIT
// Code objects of Intel GPUs ("zebin"): ELF of machine EM_INTELGT with a section for each kernel.
// Format: zebin/spec/elf.md of intel-graphics-compiler. The compiler writes relocatables, in which
// each section's code begins at 0; the driver hands out executables whose sections and segments
// have the device's addresses (zetModuleGetDebugInfo).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/device/kernel_table.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class Zebin {
 public:
  // What is not of that machine has no code and no platform.
  explicit Zebin(const ElfFile& file);

  // Of kernels, and (`Intel_Symbol_Table_Void_Program`) of functions that all may call.
  const KernelTable& kernels() const { return kernels_; }

  // The instruction set, by the name that Intel's assembler (IGA) has for it: `xehpc`, `xe2`.
  // Empty: the object does not say, or one that is not known here.
  const std::string& platform() const { return platform_; }

 private:
  KernelTable kernels_;
  std::string platform_;
};

// What the notes of an object say of its GPU.
struct ZebinTarget {
  std::optional<uint32_t> product_family;  // PRODUCT_FAMILY of igfxfmid.h
  std::optional<uint32_t> core_family;     // GFXCORE_FAMILY of igfxfmid.h
  std::optional<uint32_t> product_config;  // GMD_ID: architecture, release and revision
};

// The notes in `.note.intelgt.compat`.
ZebinTarget read_zebin_notes(std::string_view notes);
std::string iga_platform(const ZebinTarget& target);

}  // namespace aiflame
