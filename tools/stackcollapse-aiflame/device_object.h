// SPDX-License-Identifier: MIT
// One code object of a device: what its debug information and a disassembler say of a place in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcommon/symbols/capstone.h"
#include "libcommon/symbols/dwarf.h"
#include "libcommon/symbols/elf.h"
#include "libcommon/symbols/iga.h"
#include "libcommon/symbols/scoreboard.h"
#include "libcommon/symbols/zebin.h"

namespace aiflame {

// Shared by all objects: what is loaded once, and told once.
struct Disassemblers {
  Capstone x86;
  Iga intel;
  std::set<std::string> told;  // of what was warned
};

// Offsets are those in the file.
class DeviceObject {
 public:
  // Throws Error.
  DeviceObject(const std::string& path, Disassemblers& disassemblers);

  // As DwarfFile has them.
  const std::vector<SourceFrame>& frames_at(uint64_t offset);

  // Of a zebin: where the code of the kernel that holds an offset begins.
  std::optional<uint64_t> code_start(uint64_t offset) const;

  // Empty where it is not known.
  std::string mnemonic_at(uint64_t offset);

  // Those whose results the instruction there may wait for, as offsets in the file.
  std::vector<uint64_t> producers_of(uint64_t offset);

 private:
  struct Kernel {
    std::vector<GpuInstruction> code;
    std::unique_ptr<Scoreboard> scoreboard;  // made at the first question
  };

  Kernel& kernel(const ZebinCode& code);
  void tell(const ZebinCode& code, Iga::Failure failure) const;

  Disassemblers& disassemblers_;
  ElfFile elf_;
  Zebin zebin_;
  std::unique_ptr<DwarfFile> dwarf_;
  std::map<uint64_t, Kernel> kernels_;  // by offset
};

}  // namespace aiflame
