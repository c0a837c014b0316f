// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/cubin_object.h"

#include <elf.h>

#include <utility>

#include "libcommon/memory/memory_file.h"

namespace aiflame::collapse {

constexpr GpuObject::Remedies CubinObject::kRemedies = {
    .not_installed = "nvdisasm is not installed",
    .not_installed_hint =
        "it is part of the CUDA toolkit; looked for on PATH and in /usr/local/cuda/bin",
    .unknown_gpu = "the nvdisasm that is installed does not know this GPU",
    .unknown_gpu_hint = "that of another CUDA toolkit is used where it is the first on PATH",
};

CubinObject::CubinObject(ElfFile elf, Disassemblers& disassemblers)
    : GpuObject(std::move(elf), disassemblers, kRemedies), cubin_(elf_) {
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

std::string CubinObject::gpu() const {
  return cubin_.architecture() == 0 ? "" : "sm_" + std::to_string(cubin_.architecture());
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

const std::vector<std::string>& CubinObject::mnemonics(const KernelCode& code) {
  const auto [at, added] = mnemonics_.try_emplace(code.offset);
  if (added)
    at->second = disassembled(code, [this](std::string_view bytes) {
                   return disassemblers_.nvidia.disassemble(cubin_.architecture(), bytes);
                 }).mnemonics;
  return at->second;
}

std::string CubinObject::mnemonic_at(uint64_t offset) {
  const KernelCode* code = cubin_.code().at(offset);
  if (code == nullptr) return "";
  const std::vector<std::string>& all = mnemonics(*code);
  const uint64_t index = (offset - code->offset) / Cubin::kInstruction;
  return index < all.size() ? all[index] : "";
}

}  // namespace aiflame::collapse
