// SPDX-License-Identifier: MIT
// --nameattr: a file with attributes for the elements of functions.
//
//   main<TAB>href=https://example.org/main.c<TAB>title=where it begins
//   malloc<TAB>class=heap<TAB>g_extra=data-owner="libc"
//   multiply_basic_[G];0x448_[g]<TAB>href=./page.html#0x448
//
// The last one is for frames `0x448_[g]` that have `multiply_basic_[G]` below them: an extension,
// no name in folded text has a semicolon. As in flamegraph.pl, but nothing becomes markup or
// script. Values are escaped. Links that do not lead to a place (`javascript:`) are refused, and
// further attributes (g_extra, a_extra) that do more than describe (onclick, style, xmlns). An
// attribute that is unknown is ignored, one without a value is as good as none (but for id and
// class, which become empty), and of one that is repeated the last counts: also as in
// flamegraph.pl, but with a warning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace aiflame::svg {

class NameAttributes {
 public:
  // All texts are XML.
  struct Entry {
    std::string name;   // as in the file
    bool link = false;  // the element is an <a>
    std::string title;  // instead of the tooltip
    std::optional<std::string> classes;
    std::string attributes;  // all others, each after a blank
  };

  // `folder`: a URL that ends in '/', which links that begin with `./` are relative to. Warns once
  // of each kind of odd attribute. Throws Error, with the line.
  explicit NameAttributes(const std::string& path, const std::string& folder = "./");

  // Whether a name stands before a semicolon.
  bool is_below(std::string_view name) const { return below_.contains(std::string(name)); }
  // `below`: of the frames below it for which that is so, the lowest one's name; empty: there is
  // none. Null when the file has neither both nor the name alone.
  const Entry* find(std::string_view name, std::string_view below) const;

 private:
  std::unordered_map<std::string, Entry> entries_;
  std::unordered_set<std::string> below_;
};

// Whether a link leads to a place: it is relative, or its scheme runs no script.
bool is_safe_link(std::string_view url);

}  // namespace aiflame::svg
