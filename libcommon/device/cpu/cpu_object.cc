// SPDX-License-Identifier: MIT
#include "libcommon/device/cpu/cpu_object.h"

#include <elf.h>

#include <utility>

#include "libcommon/device/cpu/x86_disassembler.h"

namespace aiflame {
namespace {

class CpuObject : public ObjectFile {
 public:
  CpuObject(ElfFile elf, X86Disassembler& x86)
      : x86_(x86), elf_(std::move(elf)), dwarf_(elf_.path()) {}

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  Mnemonic mnemonic_at(uint64_t offset) override {
    if (elf_.machine() != EM_X86_64) return {"", Unnamed::no_disassembler};
    const auto vaddr = elf_.vaddr_of_offset(offset);
    if (!vaddr) return {"", Unnamed::undecodable};
    return x86_.name(elf_.bytes_at(*vaddr, X86Disassembler::kLongest));
  }

 private:
  X86Disassembler& x86_;
  ElfFile elf_;
  DwarfFile dwarf_;
};

class CpuFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<CpuObject>(std::move(elf), x86_);
  }

 private:
  X86Disassembler x86_;
};

}  // namespace

std::unique_ptr<ObjectFormat> cpu_format() {
  return std::make_unique<CpuFormat>();
}

}  // namespace aiflame
