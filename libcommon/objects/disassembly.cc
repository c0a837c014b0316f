// SPDX-License-Identifier: MIT
#include "libcommon/objects/disassembly.h"

#include <string>
#include <vector>

#include "libcommon/objects/intel/iga.h"
#include "libcommon/objects/nvidia/nvdisasm.h"
#include "libcommon/process/program_door.h"

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

Rights disassembler_rights() {
  std::vector<std::string> programs = Nvdisasm::programs();
  programs.emplace_back(Iga::kProgram);
  Rights out;
  out.libraries = true;
  out.children = true;  // for those that crash
  out.messages = open_program_door(programs);
  return out;
}

}  // namespace aiflame
