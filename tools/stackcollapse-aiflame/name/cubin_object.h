// SPDX-License-Identifier: MIT
// A code object of an NVIDIA GPU.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "libcommon/device/cubin.h"
#include "libcommon/device/cubin_lines.h"
#include "libcommon/symbols/elf.h"
#include "tools/stackcollapse-aiflame/name/gpu_object.h"

namespace aiflame::collapse {

class CubinObject : public GpuObject {
 public:
  CubinObject(ElfFile elf, Disassemblers& disassemblers);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override;
  std::string mnemonic_at(uint64_t offset) override;

 private:
  static const Remedies kRemedies;

  const KernelCodes& codes() const override { return cubin_.code(); }
  std::string gpu() const override;
  std::vector<SourceFrame> find_frames(uint64_t offset);
  const std::vector<std::string>& mnemonics(const KernelCode& code);

  Cubin cubin_;
  std::unique_ptr<DwarfFile> dwarf_;   // of nvcc -G, or nullptr
  std::unique_ptr<CubinLines> lines_;  // of nvcc -lineinfo, or nullptr
  std::unordered_map<uint64_t, std::vector<SourceFrame>> frames_;
  std::map<uint64_t, std::vector<std::string>> mnemonics_;  // by the offset of the kernel
};

}  // namespace aiflame::collapse
