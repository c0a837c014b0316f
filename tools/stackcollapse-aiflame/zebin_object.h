// SPDX-License-Identifier: MIT
// A code object of an Intel GPU.
#pragma once

#include <map>
#include <memory>

#include "libcommon/symbols/elf.h"
#include "libcommon/symbols/scoreboard.h"
#include "libcommon/symbols/zebin.h"
#include "tools/stackcollapse-aiflame/gpu_object.h"

namespace aiflame {

class ZebinObject : public GpuObject {
 public:
  ZebinObject(ElfFile elf, Disassemblers& disassemblers);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override;
  std::string mnemonic_at(uint64_t offset) override;
  std::vector<uint64_t> producers_of(uint64_t offset) override;

 private:
  struct Kernel {
    std::vector<GpuInstruction> code;
    std::unique_ptr<Scoreboard> scoreboard;  // made at the first question
  };

  static const Remedies kRemedies;

  const KernelCodes& codes() const override { return zebin_.code(); }
  std::string gpu() const override { return zebin_.platform(); }
  Kernel& kernel(const KernelCode& code);

  Zebin zebin_;
  std::unique_ptr<DwarfFile> dwarf_;
  std::map<uint64_t, Kernel> kernels_;  // by offset
};

}  // namespace aiflame
