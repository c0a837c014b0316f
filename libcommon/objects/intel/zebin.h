// SPDX-License-Identifier: MIT
// Code objects of Intel GPUs ("zebin"): ELF files of machine EM_INTELGT with a section for each
// kernel. The format is documented in zebin/spec/elf.md of intel-graphics-compiler. The compiler
// writes relocatables, in which each section's code begins at address 0. The driver hands out
// executables whose sections and segments have the device's addresses (zetModuleGetDebugInfo).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/objects/kernel_table.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class Zebin {
 public:
  // A file of another machine has no kernels and no platform.
  explicit Zebin(const ElfFile& file);

  // The kernels, and `Intel_Symbol_Table_Void_Program`: the functions that all kernels may call.
  const KernelTable& kernels() const { return kernels_; }

  // The instruction set, as Intel's assembler (IGA) calls it: `xehpc`, `xe2`. Empty where the
  // object names no GPU, or one that is not known here.
  const std::string& platform() const { return platform_; }

 private:
  KernelTable kernels_;
  std::string platform_;
};

// The GPU that an object was compiled for, from its notes.
struct ZebinTarget {
  std::optional<uint32_t> product_family;  // PRODUCT_FAMILY of igfxfmid.h
  std::optional<uint32_t> core_family;     // GFXCORE_FAMILY of igfxfmid.h
  std::optional<uint32_t> product_config;  // GMD_ID: architecture, release and revision
};

// Reads the bytes of section `.note.intelgt.compat`.
ZebinTarget read_zebin_notes(std::string_view notes);
// The most exact fact that is known decides.
std::string iga_platform(const ZebinTarget& target);

}  // namespace aiflame
