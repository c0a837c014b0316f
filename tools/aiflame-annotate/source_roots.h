// SPDX-License-Identifier: MIT
// The directories whose files are sources. The names of sources come from debug information, which
// a stranger may have written (`#line 1 "/etc/shadow"`), and a listing is made to be shared.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace aiflame::annotate {

class SourceRoots {
 public:
  // The current directory unless that is /, the prefixes, and those in which systems keep sources.
  explicit SourceRoots(const std::vector<std::string>& prefixes);

  struct Found {
    std::string text;     // at most `limit` bytes; empty where `path` is outside
    std::string outside;  // the file's path without links; empty where it is below a directory
  };
  // The text of a regular file; nothing where there is none. A link counts as where it leads to.
  std::optional<Found> read(const std::string& path, size_t limit) const;

 private:
  bool holds(const std::string& path) const;

  std::vector<std::string> roots_;  // without links, with a slash at the end
};

}  // namespace aiflame::annotate
