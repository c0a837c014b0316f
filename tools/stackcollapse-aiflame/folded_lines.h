// SPDX-License-Identifier: MIT
// Counted stacks as lines of folded(5), sorted bytewise. The lines themselves are not made before
// they are written: they are long, and mostly what the lines around them are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/output.h"
#include "libcommon/text_table.h"

namespace aiflame {

class FoldedLines {
 public:
  // Frames are numbers of `texts`, which gets those that stand in others: a text may be several
  // frames, joined by ';'.
  explicit FoldedLines(TextTable& texts) : texts_(texts) {}

  // Frames root first, one at least.
  void add(const std::vector<uint32_t>& frames, uint64_t count);
  // Stacks of the same text are one line. Returns the sum of the counts.
  uint64_t write(Output& out);

 private:
  struct Line {
    size_t begin = 0;  // in items_
    uint32_t frames = 0;
    uint64_t count = 0;
  };
  // The frames of a text.
  struct Parts {
    uint32_t begin = 0, count = 0;  // in parts_; no count: not known yet
  };

  Parts parts_of(uint32_t text);
  void rank_frames();
  void sort();
  bool same(const Line& a, const Line& b) const;
  void append(size_t begin, size_t end, std::string& out) const;
  uint32_t item(const Line& line, size_t depth) const {
    return depth < line.frames ? items_[line.begin + depth] : 0;
  }

  TextTable& texts_;
  std::vector<Line> lines_;
  // A frame is its text's number, doubled, and one more where the line ends with it; once ranked,
  // its place, from 1, among the texts, each with the ';' that follows it unless the line ends. No
  // such text begins another one, so that lines are in the order of their frames' ranks.
  std::vector<uint32_t> items_;
  std::vector<uint32_t> ranked_;  // items as they were, by rank
  std::vector<Parts> of_text_;
  std::vector<uint32_t> parts_;
};

}  // namespace aiflame
