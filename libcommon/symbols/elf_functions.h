// SPDX-License-Identifier: MIT
// The functions of an object's symbol tables, by address. An object such as a compiler has thirty
// thousand; a profile needs some hundred of them. So symbols are divided into ranges of addresses,
// and only the ranges that are looked up are sorted and named.
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
  // Reads .symtab and .dynsym: a stripped library has only the latter, and aliases in both count as
  // one function. `file_offsets`: these serve as addresses, in an object without segments. `elf`
  // must stay open.
  ElfFunctions(Elf* elf, bool file_offsets);

  // A sparse file can claim any size. The largest symbol tables known (browsers) are near 100 MB.
  static constexpr uint64_t kMaxTable = uint64_t{1} << 30;

  // The function that holds an address.
  std::optional<ElfFunction> at(uint64_t address);
  // All functions, by address. Of those with the same address, the one that perf chooses.
  std::vector<ElfFunction> all();

 private:
  struct Table {
    Elf_Data* data;
    std::string_view names;  // ends with a zero byte
    uint32_t count;
    const char* bytes;  // of 64-bit symbols in this machine's byte order, else nullptr
  };
  struct Section {
    bool is_there = false, is_code = false;
    uint64_t offset = 0, begin = 0, size = 0;  // begin: its first address
  };
  // A symbol of code. `symbol` counts through all tables.
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
  std::vector<Section> sections_;  // by index
  std::vector<Table> tables_;
  // Divided into ranges of 2^shift_ addresses. A range is sorted when it is first looked up.
  std::vector<Place> places_;
  uint64_t lowest_ = 0;
  unsigned shift_ = 0;
  std::vector<uint32_t> ranges_;  // the start of each in places_, and the end of the last
  std::vector<bool> sorted_;
  std::unordered_map<size_t, ElfFunction> known_;  // by index in places_
};

}  // namespace aiflame
