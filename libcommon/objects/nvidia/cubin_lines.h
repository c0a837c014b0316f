// SPDX-License-Identifier: MIT
// Files, lines and inlined functions of a cubin's instructions, from its line tables alone: nvcc
// -lineinfo writes no other debug information. line_program.h explains how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/objects/nvidia/line_program.h"
#include "libcommon/symbols/dwarf.h"

namespace aiflame {

class CubinLines {
 public:
  CubinLines() = default;
  // The sections with their relocations applied: addresses are offsets in the file.
  CubinLines(std::string debug_line, std::string debug_str);
  CubinLines(const CubinLines&) = delete;  // the tables point into the sections
  CubinLines& operator=(const CubinLines&) = delete;

  // The functions at an address, innermost first. The last one is `holder`, the function at `start`
  // that holds the code. Empty where the holder has no lines. A name that is not known is empty.
  std::vector<SourceFrame> frames_at(uint64_t address, std::string_view holder, uint64_t start);

 private:
  // A sequence of rows.
  struct Place {
    uint64_t start;
    uint32_t table, sequence;
  };

  const Place* place_of(uint64_t address) const;
  const LineSequence& sequence(const Place& place) const {
    return tables_[place.table].sequences[place.sequence];
  }
  std::string file_of(const LineTable& table, uint32_t number) const;
  std::string name_of(uint32_t table, uint32_t name) const;
  const std::string& declared(const Place& place, uint64_t start);

  std::string debug_line_, debug_str_;
  std::vector<LineTable> tables_;
  std::vector<std::optional<uint64_t>> name_bases_;
  std::vector<Place> places_;                           // by start
  std::unordered_map<uint64_t, std::string> declared_;  // files of functions, by their start
};

}  // namespace aiflame
