// SPDX-License-Identifier: MIT
// The functions of an object's symbol tables, by address. A compiler has thirty thousand of them,
// of which a profile asks for some hundred: what is not asked for is neither sorted nor named.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/symbols/elf.h"

namespace aiflame {

class ElfFunctions {
 public:
  // With .dynsym too: a stripped library has nothing else, and aliases are one. `file_offsets`:
  // they are the addresses, of an object without segments. The object stays open.
  ElfFunctions(Elf* elf, bool file_offsets);

  // A sparse file can claim any size. The largest symbol tables known (browsers) are near 100 MB.
  static constexpr uint64_t kMaxTable = uint64_t{1} << 30;

  // The function that holds an address.
  std::optional<ElfFunction> at(uint64_t address);
  // All, by address: of those that begin at the same one that which perf chooses.
  std::vector<ElfFunction> all();

 private:
  struct Table {
    Elf_Data* data;
    std::string_view names;  // each ends within
    uint32_t count;
    const char* bytes;  // of native 64-bit symbols, else nullptr
  };
  struct Section {
    bool is_there = false, is_code = false;
    uint64_t offset = 0, begin = 0, size = 0;  // begin: of its addresses
  };
  // A symbol of code: its number in all tables.
  struct Place {
    uint64_t start;
    uint32_t symbol;
    bool operator<(const Place& other) const {
      return start != other.start ? start < other.start : symbol < other.symbol;
    }
  };
  struct Candidate;

  void take(Elf_Scn* table);
  void list(const Table& table, uint32_t first);
  void divide();
  size_t range_of(uint64_t start) const { return (start - lowest_) >> shift_; }
  void sort(size_t range);
  uint64_t start_of(size_t place);
  Candidate candidate(uint32_t symbol) const;
  ElfFunction function(size_t begin, size_t end);

  Elf* const elf_;
  const bool file_offsets_;
  int machine_ = 0;
  std::vector<Section> sections_;  // by their numbers
  std::vector<Table> tables_;
  // In ranges of as many addresses each, which are sorted when they are looked at.
  std::vector<Place> places_;
  uint64_t lowest_ = 0;
  unsigned shift_ = 0;
  std::vector<uint32_t> ranges_;  // where each begins in places_, and the end
  std::vector<bool> sorted_;
  std::unordered_map<size_t, ElfFunction> known_;  // by the first place
};

}  // namespace aiflame
