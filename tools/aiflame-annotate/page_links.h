// SPDX-License-Identifier: MIT
// Links from the frames of a flame graph to a page of aiflame-annotate, for aiflame-svg --nameattr:
//
//   multiply_basic_[G]<TAB>href=page.html#k1<TAB>target=_blank
//   matmul.cl:10_[G]<TAB>href=page.html#matmul.cl:10<TAB>target=_blank
//   0x448_[g]<TAB>href=page.html#0x448<TAB>target=_blank
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace aiflame::annotate {

class PageLinks {
 public:
  // A kernel or source line: of several alike the first one has the link.
  void add(std::string_view frame, const std::string& anchor);
  // An instruction: its frame has the offset alone. Of several alike none has the link, since it
  // could be any of them.
  void add_offset(std::string_view frame, const std::string& anchor);

  // `page`: the path of the page, of which the file's name is taken.
  std::string text(const std::string& page) const;

 private:
  std::map<std::string, std::string> anchors_;  // by frame; empty: no link
};

// `text` as a part of a URL: what is no letter, digit or one of `-._:~` as %XX.
std::string url_text(std::string_view text);

}  // namespace aiflame::annotate
