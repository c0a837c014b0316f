// SPDX-License-Identifier: MIT
// An ELF object: its functions, its load addresses and its bytes. Only this room uses libelf.
// Objects come from the profiled program and are untrusted: nothing in them can make the reader
// crash, hang or take more memory than the file is long. A file that claims more than it holds on
// disk is refused (elf_bounds.h).
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
  uint64_t size = 0;      // when the symbol has none: up to the next symbol or the section's end
  std::string_view name;  // from the symbol table, valid as long as the ElfFile; see demangle()
};

// One section, as its header claims. The file may be shorter.
struct ElfSection {
  std::string name;
  uint32_t type = 0;   // SHT_PROGBITS, …
  uint64_t flags = 0;  // SHF_EXECINSTR, …
  uint64_t address = 0, offset = 0, size = 0;
  uint32_t info = 0;   // relocations: the index of the section that they apply to
  uint32_t index = 0;  // of this section
};

class ElfFile {
 public:
  // Throws Error("PATH: …") when the file cannot be read or is not ELF.
  explicit ElfFile(const std::string& path);
  // The file that is open as `descriptor`, which is closed at the end. `name` is for messages.
  ElfFile(int descriptor, const std::string& name);
  ~ElfFile();
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;

  const std::string& path() const;
  // Bytes of the file.
  uint64_t size() const;
  // Whether the file ends before its sections, or their table, do.
  bool is_cut() const;
  int machine() const;           // EM_X86_64, EM_INTELGT, …
  uint32_t flags() const;        // e_flags, specific to the machine
  unsigned abi_version() const;  // EI_ABIVERSION
  std::string build_id() const;  // hexadecimal; empty if there is no build id

  // Sorted by address, one name per address: of several aliases, the one that perf chooses. Those
  // of .gnu_debugdata are among them (embedded_symbols.h).
  std::vector<ElfFunction> functions() const;
  // The function that holds an address.
  std::optional<ElfFunction> function_at(uint64_t vaddr) const;

  // The address of a function or variable that the dynamic linker finds in this object.
  std::optional<uint64_t> export_at(std::string_view name) const;

  // Whether there is a full symbol table (.symtab), and one for the dynamic linker (.dynsym).
  bool has_symbols() const;
  bool has_dynamic_symbols() const;
  bool has_debug_information() const;
  // The file name in .gnu_debuglink, or empty.
  std::string debug_link() const;
  // The stub (.plt) that holds an address, named after the function of another object that it
  // calls. Stubs are not part of functions().
  std::optional<ElfFunction> stub_at(uint64_t vaddr) const;

  // Convert between file offsets and the object's addresses, by PT_LOAD. In an object without
  // segments (a relocatable, a zebin) file offsets serve as addresses, of functions too. Likewise
  // in a cubin, whose segments and sections all start at address 0.
  bool has_segments() const;
  std::optional<uint64_t> vaddr_of_offset(uint64_t offset) const;
  std::optional<uint64_t> offset_of_vaddr(uint64_t vaddr) const;

  // All sections, including those without a name.
  std::vector<ElfSection> sections() const;
  // The bytes of a section that the file holds; none for SHT_NOBITS.
  std::string bytes_of(const ElfSection& section) const;

  // Up to `size` bytes of the file at `vaddr`; fewer at the end, none outside.
  std::string bytes_at(uint64_t vaddr, size_t size) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
