// SPDX-License-Identifier: MIT
// The file `listings` that aiflame-annotate --html DIR/ writes: the hottest kernels, instruction by
// instruction, as data. aiflame-svg --annotate DIR puts them into its picture, where
// listing_rows.js makes of them the rows that aiflame-annotate's own pages have. Fields have a tab
// before them:
//
//   # aiflame-listings 1
//   kernel  multiply_basic    multiply_basic.html  1045  stalls  1  0
//                                         name of the frame, function in it, page, samples, their
//                                         unit, whether all instructions are known, how much
//                                         greater the flame graph's offsets are, modulo 2^64
//   finding 290  load at matmul.cl:10 feeds 31.00% of …          offset, text
//   loop    268  330  1003                                       hottest loop: first and last
//                                                                offset, samples
//   file    /home/u/matmul.cl                                    of the next three
//   text    9    for (int k = 0; k < n; ++k)                     a line without instructions
//   line    10   292  sum += a[k] * b[k];                        one with some: number, samples,
//   text gap                                                          lines are left out here code
//   2c8  288  0  mad (16|M0) r20  sbid 281;pipe 7  290 270  290 2a0    290 send.ugm 97%
//                                         offset, samples, which `line` (from 0; empty: none),
//                                         text, reasons, causes with their stalls, producers,
//                                         consumers, chain
//   skip    340                                                  so many instructions without
//   samples
//
// Offsets are hexadecimal, other numbers decimal. A list has ';' between its parts, which each end
// in a number (reasons, causes) or begin with an offset (chain), or blanks between offsets. The
// samples of the instructions of a kernel add up to the kernel's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

inline constexpr std::string_view kListingsHeader = "# aiflame-listings 1";

// Of the file. A kernel of 20 000 instructions takes as much, and a picture with its page can still
// be sent by mail.
inline constexpr uint64_t kListingsBytes = 2'000'000;

// Checks the lines of one file, in their order.
class ListingsReader {
 public:
  // The line begins the listing of another kernel.
  bool is_kernel() const { return kind_ == "kernel"; }
  const std::string& kernel() const { return kernel_; }

  // Throws Error, with what was expected. The result, valid until the next call, is the line with
  // all foreign text printable, as XML.
  const std::string& read(std::string_view line);
  // After the last line, and before a line that begins a kernel: throws Error where the samples do
  // not add up.
  void end() const;

 private:
  void read_kernel();
  void read_code();
  std::string_view field();
  uint64_t number(int base = 10);
  void text();
  void numbered(bool offsets);
  void offsets();

  std::string line_, out_, kind_, kernel_;
  std::string_view rest_;
  bool at_end_ = false;  // of the line's fields
  bool has_header_ = false;
  uint64_t samples_ = 0, counted_ = 0, lines_ = 0;
  bool has_file_ = false;
};

// `multiply_basic.html`: a file beside the file of links, and nothing else.
bool is_page_name(std::string_view name);

}  // namespace aiflame
