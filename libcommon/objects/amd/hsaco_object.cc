// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/hsaco_object.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/objects/amd/amd_processor.h"
#include "libcommon/objects/amd/amd_registers.h"
#include "libcommon/objects/amd/hsaco_facts.h"
#include "libcommon/objects/amd/waitcnt.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"

namespace aiflame {
namespace {

// What the objects share.
struct AmdNames {
  LlvmDisassembler llvm;
  std::set<std::string> warned;  // processors
};

// All kernels of an object lie in one section, and its debug information needs no relocation.
class HsacoObject : public ObjectFile {
 public:
  HsacoObject(ElfFile elf, AmdNames& names);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override {
    static const std::vector<SourceFrame> kNone;
    const auto vaddr = elf_.vaddr_of_offset(offset);
    return vaddr ? dwarf_.frames_at(*vaddr) : kNone;
  }

  Mnemonic mnemonic_at(uint64_t offset) override;
  uint64_t function_start(uint64_t offset) override;
  CodeListing listing_at(uint64_t offset) override;
  CodeFlow code_flow_at(uint64_t offset) override;
  KernelFacts kernel_facts_at(uint64_t offset) override;
  Occupancy occupancy_at(uint64_t, const KernelFacts& facts, const LaunchSize& size) override;
  std::vector<uint64_t> producers_of(uint64_t offset) override;

 private:
  struct Function {
    CodeListing listing;
    std::unique_ptr<AmdCode> code;  // made when producers are asked for
  };

  static constexpr uint32_t kUnit = 4;  // bytes: instructions have a multiple

  void choose_target();
  Function& function_at(uint64_t offset);
  const AmdCode& code_of(Function& function) const;
  CodeListing disassembled(const ElfFunction& function, uint64_t offset);
  void warn_once() const;

  AmdNames& names_;
  ElfFile elf_;
  DwarfFile dwarf_;
  std::string processor_;  // for messages
  bool chosen_ = false;
  LlvmTarget target_;
  Unnamed unnamed_ = Unnamed::unknown_device;  // why no instruction can be named
  std::map<uint64_t, Function> functions_;     // by address
  uint64_t disassembled_ = 0;                  // bytes
  std::optional<std::string> notes_;           // of the object, once they are asked for
};

HsacoObject::HsacoObject(ElfFile elf, AmdNames& names)
    : names_(names), elf_(std::move(elf)), dwarf_(elf_.path()) {}

void HsacoObject::choose_target() {
  chosen_ = true;
  const std::vector<std::string> processors = amd_processors(elf_.flags());
  if (processors.empty()) {
    // an empty name stands for all of them
    if (names_.warned.insert("").second)
      warn(
          "instructions of an AMD GPU are not named: the number in its code object is of no known "
          "GPU");
    return;
  }
  processor_ = processors.front();
  for (const std::string& processor : processors) {
    target_ = {"amdgcn-amd-amdhsa", processor};
    unnamed_ = names_.llvm.unnamed(target_);
    if (unnamed_ == Unnamed::no) return;
  }
  warn_once();
}

void HsacoObject::warn_once() const {
  if (!names_.warned.insert(processor_).second) return;
  const char* why = "the libLLVM that is installed does not know it";
  if (unnamed_ == Unnamed::no_disassembler) why = "libLLVM is not installed";
  if (unnamed_ == Unnamed::gave_up) why = "LLVM fails to disassemble them";
  warn("instructions of %s are not named: %s", processor_.c_str(), why);
  hint("the newest libLLVM is used: in Debian 12, of libllvm14, libllvm15, libllvm16 or libllvm19");
}

Mnemonic HsacoObject::mnemonic_at(uint64_t offset) {
  if (!chosen_) choose_target();
  if (unnamed_ != Unnamed::no) return {"", unnamed_};
  const auto vaddr = elf_.vaddr_of_offset(offset);
  if (!vaddr) return {"", Unnamed::undecodable};
  return names_.llvm.name(target_, elf_.bytes_at(*vaddr, LlvmDisassembler::kLongest));
}

uint64_t HsacoObject::function_start(uint64_t offset) {
  const auto vaddr = elf_.vaddr_of_offset(offset);
  const auto function = vaddr ? elf_.function_at(*vaddr) : std::nullopt;
  return function ? offset - (*vaddr - function->start) : offset;
}

// Empty when the functions so far had more code than the file has bytes: they overlap, and a few
// samples could make LLVM run for hours.
CodeListing HsacoObject::disassembled(const ElfFunction& function, uint64_t offset) {
  CodeListing out;
  out.symbol = function.name;
  out.unnamed = unnamed_;
  out.begin = out.end = offset;
  if (function.size > elf_.size() - disassembled_) return out;
  disassembled_ += function.size;
  const std::string code = elf_.bytes_at(function.start, function.size);
  if (unnamed_ == Unnamed::no)
    for (const LlvmInstruction& each : names_.llvm.all(target_, code, kUnit)) {
      ListedInstruction one;
      one.offset = out.end;
      one.size = each.size;
      one.mnemonic = each.mnemonic.name;
      one.operands = each.operands;
      out.end += each.size;
      const auto target = amd_jump(one.mnemonic, one.operands, out.end - out.begin);
      if (target) one.operands = format("0x%llx", static_cast<unsigned long long>(*target));
      out.code.push_back(std::move(one));
    }
  if (out.unnamed == Unnamed::no && out.end < offset + code.size()) out.unnamed = Unnamed::gave_up;
  while (out.end < offset + code.size()) {
    const auto size =
        static_cast<uint32_t>(std::min<uint64_t>(kUnit, offset + code.size() - out.end));
    out.code.push_back({out.end, size, "", ""});
    out.end += size;
  }
  return out;
}

HsacoObject::Function& HsacoObject::function_at(uint64_t offset) {
  if (!chosen_) choose_target();
  const auto vaddr = elf_.vaddr_of_offset(offset);
  const auto function = vaddr ? elf_.function_at(*vaddr) : std::nullopt;
  if (!function) return functions_[UINT64_MAX];
  const auto [at, added] = functions_.try_emplace(function->start);
  if (added) at->second.listing = disassembled(*function, offset - (*vaddr - function->start));
  return at->second;
}

CodeListing HsacoObject::listing_at(uint64_t offset) {
  return function_at(offset).listing;
}

const AmdCode& HsacoObject::code_of(Function& function) const {
  if (function.code == nullptr)
    function.code =
        std::make_unique<AmdCode>(function.listing.code, amd_generation(target_.processor));
  return *function.code;
}

CodeFlow HsacoObject::code_flow_at(uint64_t offset) {
  CodeFlow out;
  Function& its = function_at(offset);
  for (const ListedInstruction& each : its.listing.code) {
    out.offsets.push_back(each.offset);
    out.registers.push_back(amd_registers(each.mnemonic, each.operands));
    out.operations.push_back(amd_operation(each.mnemonic));
  }
  out.ways = code_of(its).ways();
  return out;
}

KernelFacts HsacoObject::kernel_facts_at(uint64_t offset) {
  const auto vaddr = elf_.vaddr_of_offset(offset);
  const auto function = vaddr ? elf_.function_at(*vaddr) : std::nullopt;
  if (!function) return {};
  if (!notes_) {
    notes_.emplace();
    for (const ElfSection& each : elf_.sections())
      if (each.type == SHT_NOTE && notes_->empty()) *notes_ = elf_.bytes_of(each);
  }
  if (!may_read_facts(notes_->size())) return {};
  return hsaco_facts(amd_metadata(*notes_), function->name);
}

// One number may stand for several processors, which have the same limits or none that are known.
Occupancy HsacoObject::occupancy_at(uint64_t, const KernelFacts& facts, const LaunchSize& size) {
  const std::vector<std::string> processors = amd_processors(elf_.flags());
  const auto limits = processors.empty() ? std::nullopt : amd_limits(processors.front());
  return limits ? occupancy(*limits, facts, size) : Occupancy();
}

std::vector<uint64_t> HsacoObject::producers_of(uint64_t offset) {
  std::vector<uint64_t> out;
  Function& its = function_at(offset);
  const std::vector<ListedInstruction>& code = its.listing.code;
  auto next =
      std::upper_bound(code.begin(), code.end(), offset,
                       [](uint64_t at, const ListedInstruction& each) { return at < each.offset; });
  if (next == code.begin()) return out;
  for (const uint32_t each : code_of(its).producers(static_cast<uint32_t>(next - code.begin() - 1)))
    out.push_back(code[each].offset);
  return out;
}

class HsacoFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<HsacoObject>(std::move(elf), names_);
  }

 private:
  AmdNames names_;
};

}  // namespace

std::unique_ptr<ObjectFormat> hsaco_format() {
  return std::make_unique<HsacoFormat>();
}

}  // namespace aiflame
