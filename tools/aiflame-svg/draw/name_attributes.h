// SPDX-License-Identifier: MIT
// --nameattr: what a file says about the elements of functions.
//
//   main<TAB>href=https://example.org/main.c<TAB>title=where it begins
//   malloc<TAB>class=heap<TAB>g_extra=data-owner="libc"
//
// As in flamegraph.pl, but nothing becomes markup or script: values are escaped, links are refused
// unless they lead to a place (not `javascript:`), and of further attributes (g_extra, a_extra)
// those that are scripts (onclick).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace aiflame::svg {

class NameAttributes {
 public:
  // All of it XML.
  struct Entry {
    bool link = false;  // the element is an <a>
    std::string title;  // instead of the tooltip
    std::string classes;
    std::string attributes;  // the others, each with a blank in front
  };

  // Throws Error, with the line.
  explicit NameAttributes(const std::string& path);

  // Nothing when the file does not have it.
  const Entry* find(std::string_view name) const;

 private:
  std::unordered_map<std::string, Entry> entries_;
};

// Whether a link leads to a place: relative, or of a scheme that runs nothing.
bool is_safe_link(std::string_view url);

}  // namespace aiflame::svg
