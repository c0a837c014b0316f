// SPDX-License-Identifier: MIT
// Disassembles code of NVIDIA GPUs with the program nvdisasm of the CUDA toolkit: the one on PATH,
// else the one in $CUDA_HOME/bin, or in /usr/local/cuda/bin where CUDA_HOME is not set.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/objects/disassembly.h"
#include "libcommon/objects/nvidia/sass_listing.h"
#include "libcommon/process/bounded_child.h"

namespace aiflame {

class Nvdisasm {
 public:
  struct Listing {
    std::vector<SassInstruction> code;  // without a mnemonic where nvdisasm cannot read it
    DisassemblyFailure failure = DisassemblyFailure::none;
  };

  // Its names, in the order in which they are tried.
  static std::vector<std::string> programs();

  // Longer code is not disassembled. The largest known kernels have a few megabytes.
  static constexpr size_t kMaxCode = size_t{8} << 20;

  // `architecture` is 90 for sm_90. Each call runs a child process.
  Listing disassemble(unsigned architecture, std::string_view code);

 private:
  ChildResult run(unsigned architecture, std::string_view code);
  DisassemblyFailure reason(unsigned architecture);

  std::optional<std::string> program_;  // found at the first call; empty: not installed
  // By architecture, when code of it has failed: why no code of it can be read, or none.
  std::map<unsigned, DisassemblyFailure> known_;
};

}  // namespace aiflame
