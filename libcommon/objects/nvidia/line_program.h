// SPDX-License-Identifier: MIT
// Reads line tables: section .debug_line of DWARF 2 to 4, with NVIDIA's extensions (pure).
//
// A line table maps instructions to source lines. It is stored as a program for a small machine
// with a few registers: address, file, line. Opcodes change the registers, and some of them append
// the registers as a row to the table. A sequence is a run of rows with ascending addresses; an
// instruction belongs to the last row at or below its address.
//
// Usually .debug_info says which functions are inlined. But nvcc -lineinfo, which people use for
// optimised code, writes only .debug_line and .debug_str, and NVIDIA added two registers to the
// machine for it: `context`, a row, and `name`, an offset in .debug_str. A row with a context is
// code of the function called `name`, inlined at the place that row `context` describes. That row
// may have a context itself, and so on up to the function that holds the code:
//
//   row  address  line  context  name
//    1   0x000     31     0               plain(), which holds the code
//    2   0x040     21     0               called() is called here
//    3   0x040     17     2      called   its code, inlined at row 2
//    4   0x040     12     3      chained  and in turn chained(), inlined at row 3
//
// The instruction at 0x40 is in line 12 of chained(), inlined into line 17 of called(), inlined
// into line 21 of plain(). Of several rows with one address the last one is the instruction's; the
// others exist to be its context.
//
// The opcodes:
//  - DW_LNE_NVIDIA_inlined_call (0x90) CONTEXT NAME sets both registers for the rows that follow;
//    CONTEXT 0 ends that. `00 03 90 06 0c`: inlined at row 6, name at 0xc.
//  - DW_LNE_NVIDIA_set_function_name (0x91) NAME; CUDA 13.0 does not write it.
//  - The header is four bytes longer than it should be: a number to add to each NAME.
//    inlined_names.h has the cases in which it is missing.
//
// Nothing documents which row is number 6; we found it by experiment. Rows are counted from 1
// within their sequence, and a row that repeats the one above it does not count. (In randomly
// generated programs 225 of 4697 contexts are wrong when repeated rows count, and none when they do
// not.) libdw reads these opcodes too (since 0.186), but takes CONTEXT for a row of the whole
// table, sorted by address. That finds a wrong row where an object has two kernels or repeated
// rows, which is why the tables are read here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame {

struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0;     // number in its table, from 1
  uint32_t line = 0;     // 0: none
  uint32_t context = 0;  // row of its sequence, from 1, where the code is inlined; 0: not inlined
  uint32_t name = 0;  // of the inlined function: an offset in .debug_str; add the table's `names`
  bool operator==(const LineRow&) const = default;
};

// Rows for code without gaps, by address. No row repeats the one above it.
struct LineSequence {
  std::vector<LineRow> rows;
  uint64_t end = 0;
};

struct LineFile {
  std::string_view name;
  uint64_t directory = 0;  // number in its table, from 1; 0: the directory of the compilation
};

struct LineTable {
  std::vector<std::string_view> directories;
  std::vector<LineFile> files;
  uint32_t names = 0;  // what to add to each name
  std::vector<LineSequence> sequences;
};

// The tables of a section, which must outlive them. Leaves out damaged parts, among them a sequence
// without an end and one with descending addresses.
std::vector<LineTable> read_line_tables(std::string_view debug_line);

}  // namespace aiflame
