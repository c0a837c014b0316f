// SPDX-License-Identifier: MIT
// --nameattr: a file with attributes for the elements of functions.
//
//   main<TAB>href=https://example.org/main.c<TAB>title=where it begins
//   malloc<TAB>class=heap<TAB>g_extra=data-owner="libc"
//
// As in flamegraph.pl, but nothing becomes markup or script. Values are escaped. Links that do not
// lead to a place (`javascript:`) are refused, and further attributes (g_extra, a_extra) that do
// more than describe (onclick, style, xmlns). An attribute that is unknown is ignored, one without
// a value is as good as none (but for id and class, which become empty), and of one that is
// repeated the last counts: also as in flamegraph.pl, but with a warning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aiflame::svg {

class NameAttributes {
 public:
  // All texts are XML.
  struct Entry {
    bool link = false;  // the element is an <a>
    std::string title;  // instead of the tooltip
    std::optional<std::string> classes;
    std::string attributes;  // all others, each after a blank
  };

  // Warns once of each kind of odd attribute. Throws Error, with the line.
  explicit NameAttributes(const std::string& path);

  // Null when the file does not have the name.
  const Entry* find(std::string_view name) const;

 private:
  std::unordered_map<std::string, Entry> entries_;
};

// Whether a link leads to a place: it is relative, or its scheme runs no script.
bool is_safe_link(std::string_view url);

}  // namespace aiflame::svg
