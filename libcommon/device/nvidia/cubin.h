// SPDX-License-Identifier: MIT
// Code objects of NVIDIA GPUs ("cubin"): ELF of machine EM_CUDA with a section for each kernel, as
// ptxas and nvlink of CUDA 13.0 write them. NVIDIA documents the tools that print them ("CUDA
// Binary Utilities"), not the format; what is read here was found in the bytes.
//
// They are executables whose segments and sections all have the address 0, so that places are told
// by their offsets in the file. An instruction has 16 bytes (since sm_70).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/device/debug_image.h"
#include "libcommon/device/kernel_table.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class Cubin {
 public:
  static constexpr uint64_t kInstruction = 16;  // bytes

  // What is not of that machine has no code and no architecture.
  explicit Cubin(const ElfFile& file);

  const KernelTable& kernels() const { return kernels_; }

  // 90 of sm_90, 0 where the object does not say.
  unsigned architecture() const { return architecture_; }

 private:
  KernelTable kernels_;
  unsigned architecture_ = 0;
};

// What a cubin's symbol calls a function: that of a device function that is not inlined has the
// kernel's in front, in whose section it stands, and the compiler's own another word.
//   $plain$_Z5twicefi                                          _Z5twicefi
//   $_Z6dividePf$__internal_0_$__cuda_sm3x_div_rn_slowpath     __cuda_sm3x_div_rn_slowpath
std::string_view cubin_function_name(std::string_view symbol);

// The debug information of a cubin with its relocations applied: code has its offset in the file as
// address. The only relocation that occurs in what an executable has of it is R_CUDA_64 (2), 64
// bits: symbol plus addend, which up to sm_89 stands where it is added (.rel.debug_line).
std::vector<DebugSection> relocated_cubin_debug(const ElfFile& file);

}  // namespace aiflame
