// SPDX-License-Identifier: MIT
// Code objects of NVIDIA GPUs ("cubin"): ELF files of machine EM_CUDA with a section for each
// kernel, as ptxas and nvlink of CUDA 13.0 write them. NVIDIA documents the tools that print them
// ("CUDA Binary Utilities"), not the format: this reader was derived from the bytes.
//
// They are executables whose segments and sections all have the address 0, so that only the offset
// in the file identifies a place. An instruction has 16 bytes (since sm_70).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcommon/objects/debug_image.h"
#include "libcommon/objects/kernel_table.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class Cubin {
 public:
  static constexpr uint64_t kInstruction = 16;        // bytes
  static constexpr unsigned kFirstArchitecture = 70;  // that has such instructions

  // A file of another machine has no kernels and no architecture.
  explicit Cubin(const ElfFile& file);

  const KernelTable& kernels() const { return kernels_; }

  // 90 for sm_90; 0 where the object names none.
  unsigned architecture() const { return architecture_; }

 private:
  KernelTable kernels_;
  unsigned architecture_ = 0;
};

// The function's own name in a cubin's symbol. A device function that is called, not inlined, lies
// in a kernel's section, and its symbol begins with that kernel's name. Functions of the compiler
// have one more word.
//   $plain$_Z5twicefi                                          _Z5twicefi
//   $_Z6dividePf$__internal_0_$__cuda_sm3x_div_rn_slowpath     __cuda_sm3x_div_rn_slowpath
std::string_view cubin_function_name(std::string_view symbol);

// The debug information of a cubin with its relocations applied: the address of code is its offset
// in the file. The only relocation in the debug information of executables is R_CUDA_64 (2): 64
// bits, symbol plus addend. Up to sm_89 the addend is in the section itself (.rel.debug_line).
std::vector<DebugSection> relocated_cubin_debug(const ElfFile& file);

}  // namespace aiflame
