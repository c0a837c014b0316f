// SPDX-License-Identifier: MIT
// A code object of an Intel GPU.
#pragma once

#include <map>
#include <memory>

#include "libcommon/device/scoreboard.h"
#include "libcommon/device/zebin.h"
#include "libcommon/symbols/elf.h"
#include "tools/stackcollapse-aiflame/name/gpu_object.h"

namespace aiflame::collapse {

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

}  // namespace aiflame::collapse
