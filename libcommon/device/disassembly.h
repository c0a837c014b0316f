// SPDX-License-Identifier: MIT
// Why a vendor's disassembler gave no instructions: it may be missing, or older than the GPU.
#pragma once

namespace aiflame {

enum class DisassemblyFailure {
  none,
  not_installed,
  unknown_gpu,  // the installed disassembler does not know the GPU
  failed,       // it does, but could not read this code
};

}  // namespace aiflame
