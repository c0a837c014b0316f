// SPDX-License-Identifier: MIT
#include "libcommon/device/cpu/cpu_object.h"

#include <elf.h>

#include <utility>

#include "libcommon/device/cpu/capstone.h"

namespace aiflame {
namespace {

class CpuObject : public ObjectFile {
 public:
  CpuObject(ElfFile elf, Capstone& capstone)
      : capstone_(capstone), elf_(std::move(elf)), dwarf_(elf_.path()) {}

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  std::string mnemonic_at(uint64_t offset) override {
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr && elf_.machine() == EM_X86_64
               ? capstone_.mnemonic(elf_.bytes_at(*vaddr, Capstone::kLongest))
               : "";
  }

 private:
  Capstone& capstone_;
  ElfFile elf_;
  DwarfFile dwarf_;
};

class CpuFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<CpuObject>(std::move(elf), capstone_);
  }

 private:
  Capstone capstone_;
};

}  // namespace

std::unique_ptr<ObjectFormat> cpu_format() {
  return std::make_unique<CpuFormat>();
}

}  // namespace aiflame
