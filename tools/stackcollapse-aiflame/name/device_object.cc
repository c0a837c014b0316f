// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/device_object.h"

#include <elf.h>

#include <utility>

#include "libcommon/symbols/elf.h"
#include "tools/stackcollapse-aiflame/name/cubin_object.h"
#include "tools/stackcollapse-aiflame/name/zebin_object.h"

namespace aiflame::collapse {
namespace {

// What the CPU runs as an OpenCL device: a shared library like any other.
class CpuObject : public DeviceObject {
 public:
  CpuObject(ElfFile elf, Disassemblers& disassemblers)
      : disassemblers_(disassemblers), elf_(std::move(elf)), dwarf_(elf_.path()) {}

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  std::string mnemonic_at(uint64_t offset) override {
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr && elf_.machine() == EM_X86_64
               ? disassemblers_.x86.mnemonic(elf_.bytes_at(*vaddr, Capstone::kLongest))
               : "";
  }

 private:
  Disassemblers& disassemblers_;
  ElfFile elf_;
  DwarfFile dwarf_;
};

}  // namespace

std::unique_ptr<DeviceObject> open_device_object(const std::string& path,
                                                 Disassemblers& disassemblers) {
  ElfFile elf(path);
  switch (elf.machine()) {
    case EM_INTELGT:
      return std::make_unique<ZebinObject>(std::move(elf), disassemblers);
    case EM_CUDA:
      return std::make_unique<CubinObject>(std::move(elf), disassemblers);
    default:
      return std::make_unique<CpuObject>(std::move(elf), disassemblers);
  }
}

}  // namespace aiflame::collapse
