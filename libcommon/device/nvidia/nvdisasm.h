// SPDX-License-Identifier: MIT
// Disassembles code of NVIDIA GPUs by the program nvdisasm of the CUDA toolkit: the one on PATH, or
// in $CUDA_HOME/bin (where that is not set, /usr/local/cuda/bin).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/device/disassembly.h"
#include "libcommon/process/bounded_child.h"

namespace aiflame {

class Nvdisasm {
 public:
  struct Listing {
    std::vector<std::string> mnemonics;  // of each instruction; empty where it cannot tell
    DisassemblyFailure failure = DisassemblyFailure::none;
  };

  // Code longer than this is not looked at: the largest kernels known have some megabytes.
  static constexpr size_t kMaxCode = size_t{8} << 20;

  // `architecture` is 90 of sm_90. One process each.
  Listing disassemble(unsigned architecture, std::string_view code);

 private:
  ChildResult run(unsigned architecture, std::string_view code);
  bool knows(unsigned architecture);

  std::optional<std::string> program_;  // empty: there is none
  std::map<unsigned, bool> known_;      // architectures, once one has failed
};

}  // namespace aiflame
