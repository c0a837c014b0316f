// SPDX-License-Identifier: MIT
#include "libcommon/device/amd/hsaco_object.h"

#include <set>
#include <string>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/device/amd/amd_processor.h"
#include "libcommon/device/llvm/llvm_disassembler.h"

namespace aiflame {
namespace {

// What the objects share.
struct AmdNames {
  LlvmDisassembler llvm;
  std::set<std::string> warned;  // processors
};

// All kernels of an object lie in one section, and its debug information needs no relocation.
class HsacoObject : public ObjectFile {
 public:
  HsacoObject(ElfFile elf, AmdNames& names);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  Mnemonic mnemonic_at(uint64_t offset) override;

 private:
  void choose_target();
  void warn_once() const;

  AmdNames& names_;
  ElfFile elf_;
  DwarfFile dwarf_;
  std::string processor_;  // for messages
  bool chosen_ = false;
  LlvmTarget target_;
  Unnamed unnamed_ = Unnamed::unknown_device;  // why no instruction can be named
};

HsacoObject::HsacoObject(ElfFile elf, AmdNames& names)
    : names_(names), elf_(std::move(elf)), dwarf_(elf_.path()) {}

void HsacoObject::choose_target() {
  chosen_ = true;
  const std::vector<std::string> processors = amd_processors(elf_.flags());
  if (processors.empty()) {
    // an empty name stands for all of them
    if (names_.warned.insert("").second)
      warn(
          "instructions of an AMD GPU are not named: the number in its code object is of no known "
          "GPU");
    return;
  }
  processor_ = processors.front();
  for (const std::string& processor : processors) {
    target_ = {"amdgcn-amd-amdhsa", processor};
    unnamed_ = names_.llvm.unnamed(target_);
    if (unnamed_ == Unnamed::no) return;
  }
  warn_once();
}

void HsacoObject::warn_once() const {
  if (!names_.warned.insert(processor_).second) return;
  const char* why = "the libLLVM that is installed does not know it";
  if (unnamed_ == Unnamed::no_disassembler) why = "libLLVM is not installed";
  if (unnamed_ == Unnamed::gave_up) why = "LLVM fails to disassemble them";
  warn("instructions of %s are not named: %s", processor_.c_str(), why);
  hint("the newest libLLVM is used: in Debian 12, of libllvm14, libllvm15, libllvm16 or libllvm19");
}

Mnemonic HsacoObject::mnemonic_at(uint64_t offset) {
  if (!chosen_) choose_target();
  if (unnamed_ != Unnamed::no) return {"", unnamed_};
  const auto vaddr = elf_.vaddr_of_offset(offset);
  if (!vaddr) return {"", Unnamed::undecodable};
  return names_.llvm.name(target_, elf_.bytes_at(*vaddr, LlvmDisassembler::kLongest));
}

class HsacoFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<HsacoObject>(std::move(elf), names_);
  }

 private:
  AmdNames names_;
};

}  // namespace

std::unique_ptr<ObjectFormat> hsaco_format() {
  return std::make_unique<HsacoFormat>();
}

}  // namespace aiflame
