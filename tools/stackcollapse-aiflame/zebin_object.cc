// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/zebin_object.h"

#include <utility>

#include "libcommon/memory_file.h"
#include "libcommon/program.h"
#include "libcommon/symbols/zebin_debug.h"

namespace aiflame {

ZebinObject::ZebinObject(ElfFile elf, Disassemblers& disassemblers)
    : disassemblers_(disassemblers), elf_(std::move(elf)), zebin_(elf_) {
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

std::optional<uint64_t> ZebinObject::code_start(uint64_t offset) const {
  const KernelCode* code = zebin_.code().at(offset);
  return code == nullptr ? std::nullopt : std::optional(code->offset);
}

void ZebinObject::tell(const KernelCode& code, Iga::Failure failure) const {
  const std::string& gpu = zebin_.platform();
  const std::string key = failure == Iga::Failure::failed ? elf_.path() + code.name : gpu;
  if (failure == Iga::Failure::none || !disassemblers_.told.insert(key).second) return;
  switch (failure) {
    case Iga::Failure::none:
      break;
    case Iga::Failure::not_installed:
      warn("instructions of %s are not named: neither libiga64 nor iga64 is installed",
           gpu.c_str());
      hint("Debian has libiga64 in the package libigc1 and iga64 in libigc-tools");
      break;
    case Iga::Failure::unknown_platform:
      warn(
          "instructions of %s are not named: the libiga64 that is installed is older than this GPU",
          gpu.c_str());
      hint("a newer iga64 is used where it is on PATH");
      break;
    case Iga::Failure::failed:
      warn("%s: instructions of '%s' are not named: they cannot be disassembled",
           printable(elf_.path()).c_str(), printable(code.name).c_str());
      break;
  }
}

ZebinObject::Kernel& ZebinObject::kernel(const KernelCode& code) {
  const auto [at, added] = kernels_.try_emplace(code.offset);
  Kernel& out = at->second;
  if (!added) return out;
  if (zebin_.platform().empty()) {
    if (disassemblers_.told.insert(elf_.path()).second)
      warn("%s: its instructions are not named: it is for a GPU that is not known",
           printable(elf_.path()).c_str());
    return out;
  }
  ElfSection section;
  section.offset = code.offset;
  section.size = code.size;
  Iga::Listing listing =
      disassemblers_.intel.disassemble(zebin_.platform(), elf_.bytes_of(section));
  tell(code, listing.failure);
  out.code = std::move(listing.code);
  return out;
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

}  // namespace aiflame
