// SPDX-License-Identifier: MIT
#include "libcommon/objects/gpu_object.h"

#include <utility>

#include "libcommon/base/program.h"

namespace aiflame {

GpuObject::GpuObject(ElfFile elf, Warned& warned, const Remedies& remedies)
    : elf_(std::move(elf)), warned_(warned), remedies_(remedies) {}

std::string GpuObject::bytes_of(const KernelCode& kernel, uint64_t& taken) const {
  const uint64_t left = elf_.size() - taken;
  if (kernel.size > left) return "";
  taken += kernel.size;
  ElfSection section;
  section.offset = kernel.offset;
  section.size = kernel.size;
  return elf_.bytes_of(section);
}

void GpuObject::warn_unknown_gpu() const {
  if (warned_.insert(elf_.path()).second)
    warn("%s: its instructions are not named: it is for a GPU that is not known",
         elf_.path().c_str());
}

void GpuObject::warn_about(const KernelCode& kernel, DisassemblyFailure failure) const {
  const std::string name = gpu();
  const std::string subject =
      failure == DisassemblyFailure::failed ? elf_.path() + kernel.name : name;
  if (failure == DisassemblyFailure::none || !warned_.insert(subject).second) return;
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
    case DisassemblyFailure::killed:
      warn("instructions of %s are not named: the disassembler was killed for kernel '%s'",
           name.c_str(), kernel.name.c_str());
      break;
    case DisassemblyFailure::out_of_time:
    case DisassemblyFailure::too_long:
      warn("instructions of %s are not named: the disassembler %s for kernel '%s'", name.c_str(),
           failure == DisassemblyFailure::out_of_time ? "took too long" : "printed too much",
           kernel.name.c_str());
      break;
    case DisassemblyFailure::failed:
      warn("%s: instructions of '%s' are not named: they cannot be disassembled",
           elf_.path().c_str(), kernel.name.c_str());
      break;
  }
}

}  // namespace aiflame
