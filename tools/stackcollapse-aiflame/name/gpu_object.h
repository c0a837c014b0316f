// SPDX-License-Identifier: MIT
// What code objects of GPUs have in common, whoever made them: a section of code for each kernel,
// and a vendor's disassembler, which may not serve.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcommon/device/disassembly.h"
#include "libcommon/device/kernel_code.h"
#include "libcommon/symbols/elf.h"
#include "tools/stackcollapse-aiflame/name/device_object.h"

namespace aiflame::collapse {

class GpuObject : public DeviceObject {
 public:
  std::optional<uint64_t> code_start(uint64_t offset) const override;

 protected:
  // Why a vendor's disassembler does not serve, and what helps.
  struct Remedies {
    const char *not_installed, *not_installed_hint, *unknown_gpu, *unknown_gpu_hint;
  };

  GpuObject(ElfFile elf, Disassemblers& disassemblers, const Remedies& remedies);

  virtual const KernelCodes& codes() const = 0;
  // As it is called to the user; empty where the object does not say, or one that is not known.
  virtual std::string gpu() const = 0;

  // The code as `disassemble` of its bytes has it, a Listing of Iga or Nvdisasm. What came in
  // between is told, once.
  template <typename Disassemble>
  auto disassembled(const KernelCode& code, Disassemble disassemble) const {
    decltype(disassemble(std::string_view())) listing;
    if (gpu().empty()) {
      tell_unknown();
      return listing;
    }
    listing = disassemble(bytes_of(code));
    tell(code, listing.failure);
    return listing;
  }

  Disassemblers& disassemblers_;
  ElfFile elf_;

 private:
  std::string bytes_of(const KernelCode& code) const;
  void tell_unknown() const;
  void tell(const KernelCode& code, DisassemblyFailure failure) const;

  const Remedies& remedies_;
};

}  // namespace aiflame::collapse
