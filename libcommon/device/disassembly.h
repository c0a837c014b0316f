// SPDX-License-Identifier: MIT
// What a vendor's disassembler, which may be missing or older than a GPU, made of a kernel's code.
#pragma once

namespace aiflame {

enum class DisassemblyFailure {
  none,
  not_installed,
  unknown_gpu,  // to the disassembler that is
  failed,       // on this code
};

}  // namespace aiflame
