// SPDX-License-Identifier: MIT
#include "libcommon/device/disassembly.h"

#include "libcommon/device/intel/iga.h"
#include "libcommon/device/nvidia/nvdisasm.h"

namespace aiflame {

DisassemblyFailure failure_of(ChildLimit limit) {
  switch (limit) {
    case ChildLimit::none:
      break;
    case ChildLimit::time:
      return DisassemblyFailure::out_of_time;
    case ChildLimit::output:
      return DisassemblyFailure::too_long;
    case ChildLimit::killed:
      return DisassemblyFailure::killed;
  }
  return DisassemblyFailure::none;
}

std::vector<std::string> disassembler_programs() {
  std::vector<std::string> out = Nvdisasm::programs();
  out.emplace_back(Iga::kProgram);
  return out;
}

}  // namespace aiflame
