// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin_object.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/gpu_object.h"
#include "libcommon/objects/intel/eu_registers.h"
#include "libcommon/objects/intel/iga.h"
#include "libcommon/objects/intel/scoreboard.h"
#include "libcommon/objects/intel/zebin.h"
#include "libcommon/objects/intel/zebin_debug.h"
#include "libcommon/objects/intel/zebin_facts.h"

namespace aiflame {
namespace {

class ZebinObject : public GpuObject {
 public:
  ZebinObject(ElfFile elf, Iga& iga, Warned& warned);

  const std::vector<SourceFrame>& frames_at(uint64_t offset) override;
  Mnemonic mnemonic_at(uint64_t offset) override;
  CodeListing listing_at(uint64_t offset) override;
  CodeFlow code_flow_at(uint64_t offset) override;
  KernelFacts kernel_facts_at(uint64_t offset) override;
  Occupancy occupancy_at(uint64_t, const KernelFacts& facts, const LaunchSize&) override {
    return intel_occupancy(facts);
  }
  std::vector<uint64_t> producers_of(uint64_t offset) override;

 private:
  struct Listing {
    Iga::Listing iga;
    std::unique_ptr<Scoreboard> board;  // made when it is asked for

    const Scoreboard& scoreboard() {
      if (board == nullptr) board = std::make_unique<Scoreboard>(iga.code);
      return *board;
    }
  };

  static const Remedies kRemedies;

  const KernelTable& kernels() const override { return zebin_.kernels(); }
  std::string gpu() const override { return zebin_.platform(); }
  Listing& listing(const KernelCode& kernel);

  Iga& iga_;
  Zebin zebin_;
  std::unique_ptr<DwarfFile> dwarf_;
  std::map<uint64_t, Listing> listings_;    // by the offset of the kernel
  std::optional<std::string> information_;  // section .ze_info, once it is asked for
};

constexpr GpuObject::Remedies ZebinObject::kRemedies = {
    .not_installed = "neither libiga64 nor iga64 is installed",
    .not_installed_hint = "Debian has libiga64 in the package libigc1 and iga64 in libigc-tools",
    .unknown_gpu = "the libiga64 that is installed is older than this GPU",
    .unknown_gpu_hint = "a newer iga64 is used where it is on PATH",
};

ZebinObject::ZebinObject(ElfFile elf, Iga& iga, Warned& warned)
    : GpuObject(std::move(elf), warned, kRemedies), iga_(iga), zebin_(elf_) {
  // an executable comes from the driver, which has relocated its debug information already
  if (elf_.has_segments()) {
    dwarf_ = std::make_unique<DwarfFile>(elf_.path());
    return;
  }
  const std::string image = relocated_debug_information(elf_, zebin_);
  dwarf_ = image.empty() ? std::make_unique<DwarfFile>("")
                         : std::make_unique<DwarfFile>(MemoryFile(image).path(), elf_.path());
}

const std::vector<SourceFrame>& ZebinObject::frames_at(uint64_t offset) {
  static const std::vector<SourceFrame> kNone;
  const auto vaddr = elf_.vaddr_of_offset(offset);
  return vaddr ? dwarf_->frames_at(*vaddr) : kNone;
}

ZebinObject::Listing& ZebinObject::listing(const KernelCode& kernel) {
  const auto [at, added] = listings_.try_emplace(kernel.offset);
  if (added)
    at->second.iga = disassembled(kernel, [this](std::string_view bytes) {
      return iga_.disassemble(zebin_.platform(), bytes);
    });
  return at->second;
}

Mnemonic ZebinObject::mnemonic_at(uint64_t offset) {
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr) return {"", Unnamed::undecodable};
  const Iga::Listing& its = listing(*kernel).iga;
  const IgaInstruction* found = instruction_at(its.code, offset - kernel->offset);
  return mnemonic_of(found == nullptr ? "" : found->mnemonic, its.failure);
}

CodeListing ZebinObject::listing_at(uint64_t offset) {
  constexpr uint32_t kLongest = 16;  // bytes; compacted ones have 8
  CodeListing out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr || kernel->size > Iga::kMaxCode) return out;
  const Iga::Listing& its = listing(*kernel).iga;
  out.unnamed = mnemonic_of("", its.failure).unnamed;
  if (its.code.empty()) return out;  // nobody knows where instructions begin
  out.symbol = kernel->name;
  out.begin = kernel->offset;
  out.end = kernel->offset + kernel->size;
  for (const IgaInstruction& each : its.code)
    out.code.push_back(
        {kernel->offset + each.offset, 0, each.mnemonic, operands_in_hex(each), each.guard});
  cover(out, kLongest);
  return out;
}

CodeFlow ZebinObject::code_flow_at(uint64_t offset) {
  CodeFlow out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr || kernel->size > Iga::kMaxCode) return out;
  Listing& its = listing(*kernel);
  for (const IgaInstruction& each : its.iga.code) {
    out.offsets.push_back(kernel->offset + each.offset);
    out.registers.push_back(eu_registers(each, eu_register_size(zebin_.platform())));
    out.operations.push_back(eu_operation(each));
  }
  out.ways = its.scoreboard().ways();
  return out;
}

KernelFacts ZebinObject::kernel_facts_at(uint64_t offset) {
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr) return {};
  if (!information_) {
    information_.emplace();
    for (const ElfSection& each : elf_.sections())
      if (each.name == ".ze_info") *information_ = elf_.bytes_of(each);
  }
  if (!may_read_facts(information_->size())) return {};
  return zebin_facts(*information_, kernel->name);
}

std::vector<uint64_t> ZebinObject::producers_of(uint64_t offset) {
  std::vector<uint64_t> out;
  const KernelCode* kernel = kernel_at(offset);
  if (kernel == nullptr) return out;
  Listing& it = listing(*kernel);
  const IgaInstruction* found = instruction_at(it.iga.code, offset - kernel->offset);
  if (found == nullptr) return out;
  for (const uint32_t index :
       it.scoreboard().producers(static_cast<uint32_t>(found - it.iga.code.data())))
    out.push_back(kernel->offset + it.iga.code[index].offset);
  return out;
}

class ZebinFormat : public ObjectFormat {
 public:
  std::unique_ptr<ObjectFile> open(ElfFile elf) override {
    return std::make_unique<ZebinObject>(std::move(elf), iga_, warned_);
  }

 private:
  Iga iga_;
  std::set<std::string> warned_;
};

}  // namespace

std::unique_ptr<ObjectFormat> zebin_format() {
  return std::make_unique<ZebinFormat>();
}

}  // namespace aiflame
