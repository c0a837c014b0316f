// SPDX-License-Identifier: MIT
// What folded text says about itself in words. A program writes such comment lines where numbers
// alone would mislead, and viewers show them:
//
//   # aiflame-note: peak 6.532 GiB of 6.738 GiB reserved, 12 stacks; 73 % was allocated before …
//
// A note is of one input. Sums and differences of several have none of theirs. As a quantity's line
// (quantity.h) it may stand anywhere, and never ends in a digit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

inline bool is_note_line(std::string_view line) {
  return line.starts_with("# aiflame-note:");
}
// The comment line, with its newline. A text that ends in a digit gets a full stop.
std::string note_line(std::string_view text);

// The notes of an input, in their order, each once.
class Notes {
 public:
  // Of hostile input no more are kept, and none that is longer.
  static constexpr size_t kMost = 16, kLongest = 1024;

  void read(std::string_view line);
  void add(const Notes& other);
  bool empty() const { return notes_.empty(); }
  const std::vector<std::string>& all() const { return notes_; }

 private:
  void add(const std::string& note);

  std::vector<std::string> notes_;
};

}  // namespace aiflame
