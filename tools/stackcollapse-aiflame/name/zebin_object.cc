// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/zebin_object.h"

#include <utility>

#include "libcommon/device/zebin_debug.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame::collapse {

constexpr GpuObject::Remedies ZebinObject::kRemedies = {
    .not_installed = "neither libiga64 nor iga64 is installed",
    .not_installed_hint = "Debian has libiga64 in the package libigc1 and iga64 in libigc-tools",
    .unknown_gpu = "the libiga64 that is installed is older than this GPU",
    .unknown_gpu_hint = "a newer iga64 is used where it is on PATH",
};

ZebinObject::ZebinObject(ElfFile elf, Disassemblers& disassemblers)
    : GpuObject(std::move(elf), disassemblers, kRemedies), zebin_(elf_) {
  // what the driver hands out has the device's addresses, its debug information too
  if (elf_.has_segments()) {
    dwarf_ = std::make_unique<DwarfFile>(elf_.path());
    return;
  }
  const std::string image = relocated_debug_information(elf_, zebin_);
  dwarf_ = image.empty() ? std::make_unique<DwarfFile>("")
                         : std::make_unique<DwarfFile>(MemoryFile(image).path(), elf_.path());
}

const std::vector<SourceFrame>& ZebinObject::frames_at(uint64_t offset) {
  static const std::vector<SourceFrame> kNone;
  const auto vaddr = elf_.vaddr_of_offset(offset);
  return vaddr ? dwarf_->frames_at(*vaddr) : kNone;
}

ZebinObject::Kernel& ZebinObject::kernel(const KernelCode& code) {
  const auto [at, added] = kernels_.try_emplace(code.offset);
  if (added)
    at->second.code = disassembled(code, [this](std::string_view bytes) {
                        return disassemblers_.intel.disassemble(zebin_.platform(), bytes);
                      }).code;
  return at->second;
}

std::string ZebinObject::mnemonic_at(uint64_t offset) {
  const KernelCode* code = zebin_.code().at(offset);
  if (code == nullptr) return "";
  const GpuInstruction* found = instruction_at(kernel(*code).code, offset - code->offset);
  return found == nullptr ? "" : found->mnemonic;
}

std::vector<uint64_t> ZebinObject::producers_of(uint64_t offset) {
  std::vector<uint64_t> out;
  const KernelCode* code = zebin_.code().at(offset);
  if (code == nullptr) return out;
  Kernel& it = kernel(*code);
  const GpuInstruction* found = instruction_at(it.code, offset - code->offset);
  if (found == nullptr) return out;
  if (it.scoreboard == nullptr) it.scoreboard = std::make_unique<Scoreboard>(it.code);
  for (const uint32_t index :
       it.scoreboard->producers(static_cast<uint32_t>(found - it.code.data())))
    out.push_back(code->offset + it.code[index].offset);
  return out;
}

}  // namespace aiflame::collapse
