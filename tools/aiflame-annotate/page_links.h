// SPDX-License-Identifier: MIT
// Links from the frames of a flame graph to pages of aiflame-annotate, for aiflame-svg --annotate:
//
//   multiply_basic_[G]<TAB>href=./page.html#k1<TAB>target=_blank
//   multiply_basic_[G];matmul.cl:10_[G]<TAB>href=./page.html#matmul.cl:10<TAB>target=_blank
//   multiply_basic_[G];0x448_[g]<TAB>href=./page.html#0x448<TAB>target=_blank
//
// Kernels share lines of what they inline, and offsets.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace aiflame::annotate {

class PageLinks {
 public:
  // The page, a file's name, that has what is added from now on.
  void set_page(std::string_view file);
  // A kernel, which has the lines and offsets that are added from now on. Of several of its name
  // the first one has the link: they are one frame.
  void add_kernel(std::string_view name, const std::string& anchor);
  // A source line. One that is in several functions of the kernel has the link to the first one.
  void add_line(std::string_view line, const std::string& anchor);
  // An instruction. An offset in several functions of the kernel has no link, since it could be any
  // of them.
  void add_offset(std::string_view offset, const std::string& anchor);

  std::string text() const;

 private:
  std::string href(const std::string& anchor) const;

  std::string page_;
  std::string kernel_;                        // its frame
  std::map<std::string, std::string> links_;  // URLs by frame; empty: no link
};

}  // namespace aiflame::annotate
