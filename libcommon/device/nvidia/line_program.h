// SPDX-License-Identifier: MIT
// Line tables: what .debug_line of DWARF 2 to 4 holds, with NVIDIA's additions to it (pure).
//
// nvcc -lineinfo writes .debug_line and .debug_str and nothing else, and tells there which
// functions are inlined:
//  - DW_LNE_NVIDIA_inlined_call (0x90), CONTEXT NAME: the rows that follow are code of the function
//    whose name stands at NAME in .debug_str, inlined where row CONTEXT of this sequence is;
//    CONTEXT 0 ends that. As `00 03 90 06 0c`: inlined at row 6, name at 0xc. Rows are counted from
//    1, without those that say what the one before them says already: of 4697 contexts in programs
//    made by chance 225 are found wrong when these are counted too, and none when they are not.
//  - DW_LNE_NVIDIA_set_function_name (0x91), NAME, which CUDA 13.0 does not write.
//  - the header has four bytes more than it should, what to add to each NAME.
// Of several rows with one address the last one is that of the instruction; the others are there to
// be its CONTEXT.
//
// libdw (since 0.186) reads this too, but takes CONTEXT for the number of any row in the whole
// table, sorted by address: another one's where an object has two kernels or such repetitions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame {

struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;     // number in its table, from 1
  uint32_t line = 0;     // 0: none
  uint32_t context = 0;  // row of its sequence, from 1, where its code is inlined; 0: it is not
  uint32_t name = 0;     // of the function, where there is a context
  bool operator==(const LineRow&) const = default;
};

// Rows of code without gaps, by address. None says what the one before it says.
struct LineSequence {
  std::vector<LineRow> rows;
  uint64_t end = 0;
};

struct LineFile {
  std::string_view name;
  uint64_t directory = 0;  // in its table, from 1; 0: that of the compilation
};

struct LineTable {
  std::vector<std::string_view> directories;
  std::vector<LineFile> files;
  uint32_t names = 0;  // what to add to each name
  std::vector<LineSequence> sequences;
};

// The tables of a section, which must outlive them. What is damaged is left out; a sequence without
// an end, or whose addresses go back, is none.
std::vector<LineTable> read_line_tables(std::string_view debug_line);

}  // namespace aiflame
