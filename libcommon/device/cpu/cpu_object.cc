// SPDX-License-Identifier: MIT
#include "libcommon/device/cpu/cpu_object.h"

#include <elf.h>

#include <algorithm>
#include <set>
#include <utility>

#include "libcommon/device/cpu/x86_disassembler.h"
#include "libcommon/device/cpu/x86_flow.h"
#include "libcommon/device/cpu/x86_registers.h"

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

  CodeListing listing_at(uint64_t offset) override { return function_at(offset); }
  CodeFlow code_flow_at(uint64_t offset) override;

 private:
  const CodeListing& function_at(uint64_t offset);
  CodeListing disassembled(const ElfFunction& function);

  X86Disassembler& x86_;
  ElfFile elf_;
  DwarfFile dwarf_;
  std::set<uint64_t> listed_;  // functions, by their start
  uint64_t listed_size_ = 0;   // bytes
  // Of the function that was asked for last: whoever wants its listing wants its flow next.
  CodeListing last_;
};

// Longer functions are not listed. The largest known kernels have a few hundred kilobytes.
constexpr uint64_t kMaxFunction = uint64_t{8} << 20;

const CodeListing& CpuObject::function_at(uint64_t offset) {
  const auto vaddr = elf_.vaddr_of_offset(offset);
  const auto function = vaddr ? elf_.function_at(*vaddr) : std::nullopt;
  if (function && last_.begin == offset - (*vaddr - function->start) && !last_.empty())
    return last_;
  last_ = {};
  if (elf_.machine() != EM_X86_64 || !function || function->size > kMaxFunction) return last_;
  // symbols that overlap could make a few samples run for hours
  if (listed_.insert(function->start).second) listed_size_ += function->size;
  if (listed_size_ <= elf_.size()) last_ = disassembled(*function);
  return last_;
}

CodeFlow CpuObject::code_flow_at(uint64_t offset) {
  CodeFlow out;
  const CodeListing& its = function_at(offset);
  for (const ListedInstruction& each : its.code) {
    out.offsets.push_back(each.offset);
    out.registers.push_back(x86_registers(each.mnemonic, each.operands));
    out.operations.push_back(x86_operation(each.mnemonic, each.operands));
  }
  out.ways = FlowGraph(x86_flow(its.code));
  return out;
}

CodeListing CpuObject::disassembled(const ElfFunction& function) {
  CodeListing out;
  const std::string bytes = elf_.bytes_at(function.start, function.size);
  const auto start = elf_.offset_of_vaddr(function.start);
  if (bytes.empty() || !start) return out;
  out.symbol = function.name;
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
