// SPDX-License-Identifier: MIT
// Lines of source files, which debug information names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/aiflame-annotate/source_roots.h"

namespace aiflame::annotate {

class SourceTexts {
 public:
  // `prefixes`: directories that are searched before the path itself: for PREFIX and /a/b/c.cl
  // PREFIX/a/b/c.cl, PREFIX/b/c.cl, PREFIX/c.cl.
  explicit SourceTexts(std::vector<std::string> prefixes)
      : prefixes_(std::move(prefixes)), roots_(prefixes_) {}

  // A line of a file, from 1, without its newline. Nothing where the file is not found, or has not
  // so many. Valid until the next call.
  std::optional<std::string_view> line(const std::string& file, uint64_t number);
  // Files that were not found, sorted.
  const std::set<std::string>& missing() const { return missing_; }
  // Paths of files that were not read, because they are below no directory of sources, sorted.
  const std::set<std::string>& outside() const { return outside_; }

 private:
  struct Text {
    std::string text;
    std::vector<size_t> starts;  // of the lines, and one more
  };

  const Text& open(const std::string& file);
  std::string read(const std::string& file);

  std::vector<std::string> prefixes_;
  SourceRoots roots_;
  std::unordered_map<std::string, Text> texts_;  // by the name that debug information has
  size_t bytes_ = 0;
  std::set<std::string> missing_, outside_;
};

// The deepest directory that holds most of the files, or else the one that holds the largest number
// itself; never /. The files' paths are absolute.
std::string directory_of_most(const std::set<std::string>& files);

}  // namespace aiflame::annotate
