// SPDX-License-Identifier: MIT
// What the code objects of all GPUs have in common: a section of code for each kernel, and the
// vendor's disassembler, which may be missing or too old.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "libcommon/objects/disassembly.h"
#include "libcommon/objects/kernel_table.h"
#include "libcommon/objects/object_file.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

class GpuObject : public ObjectFile {
 public:
  const KernelCode* kernel_at(uint64_t offset) const override { return kernels().at(offset); }

 protected:
  // Why a vendor's disassembler cannot be used, and what helps.
  struct Remedies {
    const char *not_installed, *not_installed_hint, *unknown_gpu, *unknown_gpu_hint;
  };
  // Subjects of the warnings that were printed; shared by all objects of a format.
  using Warned = std::set<std::string>;

  GpuObject(ElfFile elf, Warned& warned, const Remedies& remedies);

  virtual const KernelTable& kernels() const = 0;
  // The GPU's name for the user. Empty where the object names no GPU, or one that is not known.
  virtual std::string gpu() const = 0;

  // Runs `disassemble`, which is Iga's or Nvdisasm's, on the kernel's bytes, and returns its
  // Listing. Warns once about each failure.
  template <typename Disassemble>
  auto disassembled(const KernelCode& kernel, Disassemble disassemble) {
    decltype(disassemble(std::string_view())) listing;
    if (gpu().empty()) {
      warn_unknown_gpu();
      listing.failure = DisassemblyFailure::unknown_gpu;
      return listing;
    }
    listing = disassemble(bytes_of(kernel, disassembled_));
    warn_about(kernel, listing.failure);
    return listing;
  }

  // The kernel's code. Empty when the kernels so far, `taken` bytes, had more code than the file
  // has bytes: they overlap, and a few samples could make their reader run for hours.
  std::string bytes_of(const KernelCode& kernel, uint64_t& taken) const;

  ElfFile elf_;

 private:
  void warn_unknown_gpu() const;
  void warn_about(const KernelCode& kernel, DisassemblyFailure failure) const;

  Warned& warned_;
  uint64_t disassembled_ = 0;  // bytes
  const Remedies& remedies_;
};

}  // namespace aiflame
