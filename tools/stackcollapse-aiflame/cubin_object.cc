// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/cubin_object.h"

#include <elf.h>

#include <utility>

#include "libcommon/memory_file.h"
#include "libcommon/program.h"

namespace aiflame {

CubinObject::CubinObject(ElfFile elf, Disassemblers& disassemblers)
    : disassemblers_(disassemblers), elf_(std::move(elf)), cubin_(elf_) {
  std::vector<DebugSection> sections = relocated_cubin_debug(elf_);
  if (find_section(sections, ".debug_info") != nullptr)
    dwarf_ =
        std::make_unique<DwarfFile>(MemoryFile(debug_image(sections, EM_CUDA)).path(), elf_.path());
  if (DebugSection* const lines = find_section(sections, ".debug_line"); lines != nullptr) {
    DebugSection* const names = find_section(sections, ".debug_str");
    lines_ = std::make_unique<CubinLines>(std::move(lines->bytes),
                                          names == nullptr ? "" : std::move(names->bytes));
  }
}

// The function that holds the code is known by its symbol, whatever was compiled how.
std::vector<SourceFrame> CubinObject::find_frames(uint64_t offset) {
  const auto function = elf_.function_at(offset);
  if (!function || cubin_.code().at(offset) == nullptr) return {};
  const std::string holder(cubin_function_name(function->name));
  std::vector<SourceFrame> out;
  if (dwarf_ != nullptr) out = dwarf_->frames_at(offset);
  if (out.empty() && lines_ != nullptr) out = lines_->frames_at(offset, holder, function->start);
  if (out.empty()) out.emplace_back();
  out.back().function = holder;
  out.back().linkage = true;
  return out;
}

const std::vector<SourceFrame>& CubinObject::frames_at(uint64_t offset) {
  const auto [at, added] = frames_.try_emplace(offset);
  if (added) at->second = find_frames(offset);
  return at->second;
}

std::optional<uint64_t> CubinObject::code_start(uint64_t offset) const {
  const KernelCode* code = cubin_.code().at(offset);
  return code == nullptr ? std::nullopt : std::optional(code->offset);
}

void CubinObject::tell(const KernelCode& code, Nvdisasm::Failure failure) const {
  const std::string gpu = "sm_" + std::to_string(cubin_.architecture());
  const std::string key = failure == Nvdisasm::Failure::failed ? elf_.path() + code.name : gpu;
  if (failure == Nvdisasm::Failure::none || !disassemblers_.told.insert(key).second) return;
  switch (failure) {
    case Nvdisasm::Failure::none:
      break;
    case Nvdisasm::Failure::not_installed:
      warn("instructions of %s are not named: nvdisasm is not installed", gpu.c_str());
      hint("it is part of the CUDA toolkit; looked for on PATH and in /usr/local/cuda/bin");
      break;
    case Nvdisasm::Failure::unknown_architecture:
      warn(
          "instructions of %s are not named: the nvdisasm that is installed does not know this GPU",
          gpu.c_str());
      hint("that of another CUDA toolkit is used where it is the first on PATH");
      break;
    case Nvdisasm::Failure::failed:
      warn("%s: instructions of '%s' are not named: they cannot be disassembled",
           printable(elf_.path()).c_str(), printable(code.name).c_str());
      break;
  }
}

const std::vector<std::string>& CubinObject::mnemonics(const KernelCode& code) {
  const auto [at, added] = mnemonics_.try_emplace(code.offset);
  if (!added) return at->second;
  if (cubin_.architecture() == 0) {
    if (disassemblers_.told.insert(elf_.path()).second)
      warn("%s: its instructions are not named: it is for a GPU that is not known",
           printable(elf_.path()).c_str());
    return at->second;
  }
  ElfSection section;
  section.offset = code.offset;
  section.size = code.size;
  Nvdisasm::Listing listing =
      disassemblers_.nvidia.disassemble(cubin_.architecture(), elf_.bytes_of(section));
  tell(code, listing.failure);
  at->second = std::move(listing.mnemonics);
  return at->second;
}

std::string CubinObject::mnemonic_at(uint64_t offset) {
  const KernelCode* code = cubin_.code().at(offset);
  if (code == nullptr) return "";
  const std::vector<std::string>& all = mnemonics(*code);
  const uint64_t index = (offset - code->offset) / Cubin::kInstruction;
  return index < all.size() ? all[index] : "";
}

}  // namespace aiflame
