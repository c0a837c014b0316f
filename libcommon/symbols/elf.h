// SPDX-License-Identifier: MIT
// An ELF object: its functions, its load addresses and its bytes. The only user of libelf.
// Objects come from the profiled program: nothing in them is believed, nothing in them can make
// the reader crash, hang or take more memory than the file is long.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// One function; addresses are the object's own (vaddr).
struct ElfFunction {
  uint64_t start = 0;
  uint64_t size = 0;  // of a symbol without one: up to the next symbol or the section's end
  std::string_view
      name;  // as the symbol table has it, as long as its ElfFile: demangle() for people
};

// One section as its header has it: nothing says that the file is that long.
struct ElfSection {
  std::string name;
  uint32_t type = 0;   // SHT_PROGBITS, …
  uint64_t flags = 0;  // SHF_EXECINSTR, …
  uint64_t address = 0, offset = 0, size = 0;
  uint32_t info = 0;   // of relocations: the section they are for, by number
  uint32_t index = 0;  // its number
};

class ElfFile {
 public:
  // Throws Error("PATH: …") when the file cannot be read or is not ELF.
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;

  const std::string& path() const;
  int machine() const;           // EM_X86_64, EM_INTELGT, …
  uint32_t flags() const;        // of the machine
  unsigned abi_version() const;  // EI_ABIVERSION
  std::string build_id() const;  // hexadecimal; empty where there is none

  // Sorted by address, one name per address: of aliases the one that perf chooses.
  std::vector<ElfFunction> functions() const;
  // The function that holds an address.
  std::optional<ElfFunction> function_at(uint64_t vaddr) const;

  // Whether there is a full symbol table, and one for the dynamic linker.
  bool has_symbols() const;
  bool has_dynamic_symbols() const;
  // Whether there is debug information in it.
  bool has_debug_information() const;
  // The file name in .gnu_debuglink, or empty.
  std::string debug_link() const;
  // The stub that holds an address, through which it calls another object, by what it calls: not
  // part of functions().
  std::optional<ElfFunction> stub_at(uint64_t vaddr) const;

  // Between file offsets and the object's addresses, by PT_LOAD. An object without segments (a
  // relocatable, a zebin) has its file offsets as addresses, its functions' too. So has a cubin,
  // whose segments and sections all begin at 0.
  bool has_segments() const;
  std::optional<uint64_t> vaddr_of_offset(uint64_t offset) const;
  std::optional<uint64_t> offset_of_vaddr(uint64_t vaddr) const;

  // All of its sections, those without a name too.
  std::vector<ElfSection> sections() const;
  // What the file has of a section; nothing of one that takes no room in it.
  std::string bytes_of(const ElfSection& section) const;

  // Up to `size` bytes of the file that stand at `vaddr`; fewer at the end, none outside.
  std::string bytes_at(uint64_t vaddr, size_t size) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
