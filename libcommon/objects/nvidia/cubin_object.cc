// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/cubin_object.h"

#include <elf.h>

#include <map>
#include <unordered_map>
#include <utility>

#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/gpu_object.h"
#include "libcommon/objects/nvidia/cubin.h"
#include "libcommon/objects/nvidia/cubin_facts.h"
#include "libcommon/objects/nvidia/cubin_lines.h"
#include "libcommon/objects/nvidia/nv_info.h"
#include "libcommon/objects/nvidia/nvdisasm.h"
#include "libcommon/objects/nvidia/sass_code.h"
#include "libcommon/objects/nvidia/sass_registers.h"

namespace aiflame {
namespace {

class CubinObject : public GpuObject {
 public:
  CubinObject(ElfFile elf, Nvdisasm& nvdisasm, Warned& warned);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override;
  Mnemonic mnemonic_at(uint64_t offset) override;
  std::string operation_at(uint64_t offset) override;
  std::vector<uint64_t> producers_of(uint64_t offset) override;
  CodeListing listing_at(uint64_t offset) override;
  CodeFlow code_flow_at(uint64_t offset) override;
  KernelFacts kernel_facts_at(uint64_t offset) override;
  Occupancy occupancy_at(uint64_t, const KernelFacts& facts, const LaunchSize& size) override {
    const auto limits = nvidia_limits(cubin_.architecture());
    return limits ? occupancy(*limits, facts, size) : Occupancy();
  }

 private:
  static const Remedies kRemedies;

  const KernelTable& kernels() const override { return cubin_.kernels(); }
  std::string gpu() const override;
  std::vector<SourceFrame> find_frames(uint64_t offset);
  const Nvdisasm::Listing& listing(const KernelCode& kernel);
  const SassCode& code(const KernelCode& kernel);
  std::vector<FlowEdge> jumps(const KernelCode& kernel);
  const ElfSection* section(const std::string& name);

  Nvdisasm& nvdisasm_;
  Cubin cubin_;
  std::unique_ptr<DwarfFile> dwarf_;   // of nvcc -G, or nullptr
  std::unique_ptr<CubinLines> lines_;  // of nvcc -lineinfo, or nullptr
  std::unordered_map<uint64_t, std::vector<SourceFrame>> frames_;
  std::map<uint64_t, Nvdisasm::Listing> listings_;  // by the offset of the kernel
  std::map<uint64_t, SassCode> codes_;              // likewise
  uint64_t read_ = 0;                               // bytes of codes_
  std::map<std::string, ElfSection> sections_;      // by name; read when code is
  uint64_t jumps_read_ = 0;                         // bytes of their tables
};

constexpr GpuObject::Remedies CubinObject::kRemedies = {
    .not_installed = "nvdisasm is not installed",
    .not_installed_hint =
        "it is part of the CUDA toolkit; looked for on PATH and in /usr/local/cuda/bin",
    .unknown_gpu = "the nvdisasm that is installed does not know this GPU",
    .unknown_gpu_hint = "that of another CUDA toolkit is used where it is the first on PATH",
};

CubinObject::CubinObject(ElfFile elf, Nvdisasm& nvdisasm, Warned& warned)
    : GpuObject(std::move(elf), warned, kRemedies), nvdisasm_(nvdisasm), cubin_(elf_) {
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

// The symbol table always names the function that holds the code. Inlined functions, files and
// lines depend on the options of nvcc.
std::vector<SourceFrame> CubinObject::find_frames(uint64_t offset) {
  const auto function = elf_.function_at(offset);
  if (!function || kernel_at(offset) == nullptr) return {};
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

const Nvdisasm::Listing& CubinObject::listing(const KernelCode& kernel) {
  const auto [at, added] = listings_.try_emplace(kernel.offset);
  if (added)
    at->second = disassembled(kernel, [this](std::string_view bytes) {
      return nvdisasm_.disassemble(cubin_.architecture(), bytes);
    });
  return at->second;
}

Mnemonic CubinObject::mnemonic_at(uint64_t offset) {
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr) return {"", Unnamed::undecodable};
  const Nvdisasm::Listing& its = listing(*kernel);
  const uint64_t index = (offset - kernel->offset) / Cubin::kInstruction;
  return mnemonic_of(index < its.code.size() ? its.code[index].mnemonic : "", its.failure);
}

// Without nvdisasm the instructions are listed all the same: each has 16 bytes.
CodeListing CubinObject::listing_at(uint64_t offset) {
  CodeListing out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr || kernel->size > Nvdisasm::kMaxCode) return out;
  out.symbol = kernel->name;
  out.begin = kernel->offset;
  out.end = kernel->offset + kernel->size;
  const Nvdisasm::Listing& its = listing(*kernel);
  out.unnamed = mnemonic_of("", its.failure).unnamed;
  for (size_t i = 0; i < its.code.size(); ++i) {
    const SassInstruction& each = its.code[i];
    out.code.push_back(
        {out.begin + i * Cubin::kInstruction, 0, each.mnemonic, each.operands, each.guard});
  }
  cover(out, Cubin::kInstruction);
  return out;
}

const SassCode& CubinObject::code(const KernelCode& kernel) {
  const auto known = codes_.find(kernel.offset);
  if (known != codes_.end()) return known->second;
  const bool readable = cubin_.architecture() >= Cubin::kFirstArchitecture;
  return codes_
      .try_emplace(kernel.offset, readable ? bytes_of(kernel, read_) : "", cubin_.architecture(),
                   jumps(kernel))
      .first->second;
}

// None when the tables so far had more bytes than the file: they overlap.
std::vector<FlowEdge> CubinObject::jumps(const KernelCode& kernel) {
  const ElfSection* found = section(".nv.info." + kernel.name);
  if (found == nullptr || found->size > elf_.size() - jumps_read_) return {};
  jumps_read_ += found->size;
  return indirect_jumps(elf_.bytes_of(*found));
}

const ElfSection* CubinObject::section(const std::string& name) {
  if (sections_.empty())
    for (ElfSection& each : elf_.sections()) sections_.try_emplace(each.name, std::move(each));
  const auto found = sections_.find(name);
  return found == sections_.end() ? nullptr : &found->second;
}

// A kernel's section of code has the number of its symbol in the lower bits of sh_info.
KernelFacts CubinObject::kernel_facts_at(uint64_t offset) {
  constexpr uint32_t kSymbolBits = 0xffffff;
  const KernelCode* kernel = kernel_at(offset);
  const ElfSection* code = kernel == nullptr ? nullptr : section(".text." + kernel->name);
  const ElfSection* info = section(".nv.info");
  if (code == nullptr || info == nullptr || !may_read_facts(info->size)) return {};
  KernelFacts out = cubin_facts(elf_.bytes_of(*info), code->info & kSymbolBits);
  // it has no bytes in the file
  const ElfSection* shared = section(".nv.shared." + kernel->name);
  if (shared != nullptr) out.static_local = shared->size;
  if (out.registers && !out.static_local) out.static_local = 0;
  return out;
}

// Producers count on a scoreboard: they are few kinds, and known where nvdisasm is not.
std::string CubinObject::operation_at(uint64_t offset) {
  std::string name = mnemonic_at(offset).name;
  const KernelCode* kernel = kernel_at(offset);
  if (!name.empty() || kernel == nullptr) return name;
  const uint64_t index = (offset - kernel->offset) / Cubin::kInstruction;
  return std::string(code(*kernel).operation(static_cast<uint32_t>(index)));
}

std::vector<uint64_t> CubinObject::producers_of(uint64_t offset) {
  std::vector<uint64_t> out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr) return out;
  const uint64_t index = (offset - kernel->offset) / Cubin::kInstruction;
  for (const uint32_t each : code(*kernel).producers(static_cast<uint32_t>(index)))
    out.push_back(kernel->offset + uint64_t{each} * Cubin::kInstruction);
  return out;
}

CodeFlow CubinObject::code_flow_at(uint64_t offset) {
  CodeFlow out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr || kernel->size > Nvdisasm::kMaxCode) return out;
  const SassCode& its = code(*kernel);
  out.ways = its.ways();
  for (const SassWord& word : its.words()) {
    out.offsets.push_back(kernel->offset + out.offsets.size() * Cubin::kInstruction);
    out.registers.push_back(sass_registers(word, cubin_.architecture()));
    out.operations.push_back(sass_operation_kind(word, cubin_.architecture()));
  }
  return out;
}

class CubinFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<CubinObject>(std::move(elf), nvdisasm_, warned_);
  }

 private:
  Nvdisasm nvdisasm_;
  std::set<std::string> warned_;
};

}  // namespace

std::unique_ptr<ObjectFormat> cubin_format() {
  return std::make_unique<CubinFormat>();
}

}  // namespace aiflame
