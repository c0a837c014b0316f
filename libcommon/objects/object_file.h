// SPDX-License-Identifier: MIT
// What each kind of code object implements, so that its instructions can be named: a class for an
// open object, and one for its format. object_opener.cc lists the formats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/code/code_flow.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/objects/code_listing.h"
#include "libcommon/objects/kernel_table.h"
#include "libcommon/objects/mnemonic.h"
#include "libcommon/objects/occupancy.h"
#include "libcommon/symbols/dwarf.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {

// An open code object. All offsets are offsets in its file. What cannot be known is empty.
class ObjectFile {
 public:
  virtual ~ObjectFile() = default;

  // The functions whose code is at an offset, innermost first: the inlined ones, then the function
  // that holds the code. Names are linkage names. Valid as long as the object.
  virtual const std::vector<SourceFrame>& frames_at(uint64_t offset) = 0;

  // The kernel whose section holds an offset. nullptr outside of kernels, and in formats that have
  // no section for each kernel.
  virtual const KernelCode* kernel_at(uint64_t) const { return nullptr; }

  // Where the kernel's section or the function that holds an offset begins; `offset` where neither
  // is known.
  virtual uint64_t function_start(uint64_t offset) {
    const KernelCode* const kernel = kernel_at(offset);
    return kernel == nullptr ? offset : kernel->offset;
  }

  // The mnemonic as the disassembler prints it, or why there is none.
  virtual Mnemonic mnemonic_at(uint64_t offset) = 0;

  // What is known of a producer's name without a disassembler: its mnemonic, perhaps without
  // modifiers. Empty where that is nothing.
  virtual std::string operation_at(uint64_t offset) { return mnemonic_at(offset).name; }

  // What the compiler gave the kernel whose code begins at an offset.
  virtual KernelFacts kernel_facts_at(uint64_t) { return {}; }

  // How many of its threads the device holds at most, when that kernel is launched in this size.
  virtual Occupancy occupancy_at(uint64_t, const KernelFacts&, const LaunchSize&) { return {}; }

  // The function whose code is at an offset, instruction by instruction. Empty where it is not
  // known where the function begins and ends.
  virtual CodeListing listing_at(uint64_t) { return {}; }

  // The same function, as the search for causes and loops reads it. Empty where that is not known.
  virtual CodeFlow code_flow_at(uint64_t) { return {}; }

  // The instructions whose results the one at `offset` may wait for, ascending.
  virtual std::vector<uint64_t> producers_of(uint64_t) { return {}; }

 protected:
  // Whether so many bytes more may be read for facts of kernels. In a hostile object, each of many
  // kernels would ask for all of a large table.
  bool may_read_facts(uint64_t bytes) {
    constexpr uint64_t kMost = uint64_t{1} << 30;  // some 2 s
    facts_read_ += bytes;
    return facts_read_ <= kMost;
  }

 private:
  uint64_t facts_read_ = 0;
};

// Opens the code objects of one ELF machine. It owns what they share: a disassembler that is loaded
// once, and the list of warnings that were printed. It outlives its objects.
class ObjectFormat {
 public:
  virtual ~ObjectFormat() = default;
  // Throws Error.
  virtual std::unique_ptr<ObjectFile> open(ElfFile elf) = 0;
};

}  // namespace aiflame
