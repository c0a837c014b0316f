// SPDX-License-Identifier: MIT
#include "libcommon/device/cpu/cpu_object.h"

#include <elf.h>

#include <algorithm>
#include <set>
#include <utility>

#include "libcommon/device/cpu/x86_disassembler.h"

namespace aiflame {
namespace {

class CpuObject : public ObjectFile {
 public:
  CpuObject(ElfFile elf, X86Disassembler& x86)
      : x86_(x86), elf_(std::move(elf)), dwarf_(elf_.path()) {}

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  Mnemonic mnemonic_at(uint64_t offset) override {
    if (elf_.machine() != EM_X86_64) return {"", Unnamed::no_disassembler};
    const auto vaddr = elf_.vaddr_of_offset(offset);
    if (!vaddr) return {"", Unnamed::undecodable};
    return x86_.name(elf_.bytes_at(*vaddr, X86Disassembler::kLongest));
  }

  CodeListing listing_at(uint64_t offset) override;

 private:
  X86Disassembler& x86_;
  ElfFile elf_;
  DwarfFile dwarf_;
  std::set<uint64_t> listed_;  // functions, by their start
  uint64_t listed_size_ = 0;   // bytes
};

// Longer functions are not listed. The largest known kernels have a few hundred kilobytes.
constexpr uint64_t kMaxFunction = uint64_t{8} << 20;

CodeListing CpuObject::listing_at(uint64_t offset) {
  CodeListing out;
  const auto vaddr = elf_.vaddr_of_offset(offset);
  const auto function = vaddr ? elf_.function_at(*vaddr) : std::nullopt;
  if (elf_.machine() != EM_X86_64 || !function || function->size > kMaxFunction) return out;
  // symbols that overlap could make a few samples run for hours
  if (listed_.insert(function->start).second) listed_size_ += function->size;
  if (listed_size_ > elf_.size()) return out;
  const std::string bytes = elf_.bytes_at(function->start, function->size);
  const auto start = elf_.offset_of_vaddr(function->start);
  if (bytes.empty() || !start) return out;
  out.symbol = function->name;
  out.begin = *start;
  out.end = *start + bytes.size();
  for (size_t at = 0; at < bytes.size();) {
    LlvmInstruction it = x86_.instruction(std::string_view(bytes).substr(at), at);
    if (it.size == 0) {  // one byte further there may be an instruction again
      it = {{"", it.mnemonic.unnamed}, "", 1};
      out.unnamed = it.mnemonic.unnamed;
    }
    it.size = static_cast<uint32_t>(std::min<size_t>(it.size, bytes.size() - at));
    out.code.push_back({*start + at, it.size, it.mnemonic.name, it.operands});
    at += it.size;
  }
  return out;
}

class CpuFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<CpuObject>(std::move(elf), x86_);
  }

 private:
  X86Disassembler x86_;
};

}  // namespace

std::unique_ptr<ObjectFormat> cpu_format() {
  return std::make_unique<CpuFormat>();
}

}  // namespace aiflame
