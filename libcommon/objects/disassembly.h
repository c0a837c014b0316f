// SPDX-License-Identifier: MIT
// Why a vendor's disassembler gave no instructions: it may be missing, or older than the GPU.
#pragma once

#include "libcommon/process/bounded_child.h"
#include "libcommon/process/sandbox.h"

namespace aiflame {

enum class DisassemblyFailure {
  none,
  not_installed,
  unknown_gpu,  // the installed disassembler does not know the GPU
  out_of_time,  // it took too long for some code of the GPU, and is not run on such code again
  too_long,     // it printed too much for it
  killed,       // it was killed while it read it
  failed,       // it does, but could not read this code
};

// What it is called that a disassembler ended too early.
DisassemblyFailure failure_of(ChildLimit limit);

// The rights that disassembling needs; opens the door for the disassemblers that are programs. To
// be called before drop_rights(), once.
Rights disassembler_rights();

}  // namespace aiflame
