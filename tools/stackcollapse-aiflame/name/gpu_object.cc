// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/gpu_object.h"

#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::collapse {

GpuObject::GpuObject(ElfFile elf, Disassemblers& disassemblers, const Remedies& remedies)
    : disassemblers_(disassemblers), elf_(std::move(elf)), remedies_(remedies) {}

std::optional<uint64_t> GpuObject::code_start(uint64_t offset) const {
  const KernelCode* code = codes().at(offset);
  return code == nullptr ? std::nullopt : std::optional(code->offset);
}

std::string GpuObject::bytes_of(const KernelCode& code) const {
  ElfSection section;
  section.offset = code.offset;
  section.size = code.size;
  return elf_.bytes_of(section);
}

void GpuObject::tell_unknown() const {
  if (disassemblers_.told.insert(elf_.path()).second)
    warn("%s: its instructions are not named: it is for a GPU that is not known",
         printable(elf_.path()).c_str());
}

void GpuObject::tell(const KernelCode& code, DisassemblyFailure failure) const {
  const std::string name = gpu();
  const std::string key = failure == DisassemblyFailure::failed ? elf_.path() + code.name : name;
  if (failure == DisassemblyFailure::none || !disassemblers_.told.insert(key).second) return;
  switch (failure) {
    case DisassemblyFailure::none:
      break;
    case DisassemblyFailure::not_installed:
      warn("instructions of %s are not named: %s", name.c_str(), remedies_.not_installed);
      hint("%s", remedies_.not_installed_hint);
      break;
    case DisassemblyFailure::unknown_gpu:
      warn("instructions of %s are not named: %s", name.c_str(), remedies_.unknown_gpu);
      hint("%s", remedies_.unknown_gpu_hint);
      break;
    case DisassemblyFailure::failed:
      warn("%s: instructions of '%s' are not named: they cannot be disassembled",
           printable(elf_.path()).c_str(), printable(code.name).c_str());
      break;
  }
}

}  // namespace aiflame::collapse
