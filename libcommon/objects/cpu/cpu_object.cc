// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/cpu_object.h"

#include <elf.h>

#include <algorithm>
#include <set>
#include <utility>

#include "libcommon/objects/cpu/arm64_disassembler.h"
#include "libcommon/objects/cpu/x86_disassembler.h"
#include "libcommon/objects/cpu/x86_flow.h"
#include "libcommon/objects/cpu/x86_registers.h"

namespace aiflame {
namespace {

// By the machine of the code.
struct CpuDisassembler {
  X86Disassembler x86;
  Arm64Disassembler arm64;

  static bool knows(int machine) { return machine == EM_X86_64 || machine == EM_AARCH64; }
  // Bytes of the shortest and of the longest instruction.
  static uint32_t shortest(int machine) {
    return machine == EM_AARCH64 ? Arm64Disassembler::kBytes : 1;
  }
  static size_t longest(int machine) {
    return machine == EM_AARCH64 ? Arm64Disassembler::kBytes : X86Disassembler::kLongest;
  }
  LlvmInstruction instruction(int machine, std::string_view bytes, uint64_t address) {
    return machine == EM_AARCH64 ? arm64.instruction(bytes, address)
                                 : x86.instruction(bytes, address);
  }
};

class CpuObject : public ObjectFile {
 public:
  CpuObject(ElfFile elf, CpuDisassembler& disassembler)
      : disassembler_(disassembler), elf_(std::move(elf)), dwarf_(elf_.path()) {}

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  Mnemonic mnemonic_at(uint64_t offset) override {
    const int machine = elf_.machine();
    if (!CpuDisassembler::knows(machine)) return {"", Unnamed::no_disassembler};
    const auto vaddr = elf_.vaddr_of_offset(offset);
    if (!vaddr) return {"", Unnamed::undecodable};
    const std::string bytes = elf_.bytes_at(*vaddr, CpuDisassembler::longest(machine));
    return disassembler_.instruction(machine, bytes, 0).mnemonic;
  }

  CodeListing listing_at(uint64_t offset) override { return function_at(offset); }
  CodeFlow code_flow_at(uint64_t offset) override;

 private:
  const CodeListing& function_at(uint64_t offset);
  CodeListing disassembled(const ElfFunction& function);

  CpuDisassembler& disassembler_;
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
  if (!CpuDisassembler::knows(elf_.machine()) || !function || function->size > kMaxFunction)
    return last_;
  // symbols that overlap could make a few samples run for hours
  if (listed_.insert(function->start).second) listed_size_ += function->size;
  if (listed_size_ <= elf_.size()) last_ = disassembled(*function);
  return last_;
}

CodeFlow CpuObject::code_flow_at(uint64_t offset) {
  CodeFlow out;
  if (elf_.machine() != EM_X86_64) return out;
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
    LlvmInstruction it =
        disassembler_.instruction(elf_.machine(), std::string_view(bytes).substr(at), at);
    if (it.size == 0) {  // behind the shortest one there may be an instruction again
      it = {{"", it.mnemonic.unnamed}, "", CpuDisassembler::shortest(elf_.machine())};
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
    return std::make_unique<CpuObject>(std::move(elf), disassembler_);
  }

 private:
  CpuDisassembler disassembler_;
};

}  // namespace

std::unique_ptr<ObjectFormat> cpu_format() {
  return std::make_unique<CpuFormat>();
}

}  // namespace aiflame
