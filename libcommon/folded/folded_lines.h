// SPDX-License-Identifier: MIT
// Counted stacks as lines of folded(5), sorted bytewise. The lines themselves are not made before
// they are written: they are long, and mostly what the lines around them are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/text/text_table.h"

namespace aiflame {

class FoldedLines {
 public:
  // Makes line `number`: its frames, root first, one at least, and its count; 0 for no line.
  using Make = std::function<uint64_t(uint32_t number, std::vector<uint32_t>& frames)>;

  // Frames are numbers of `texts`, which gets those that stand in others: a text may be several
  // frames, joined by ';'.
  explicit FoldedLines(TextTable& texts) : texts_(texts) {}

  // Adds make(0) … make(count - 1), several at a time.
  void add(uint32_t count, const Make& make);
  // Stacks of the same text are one line. Returns the sum of the counts.
  uint64_t write(Output& out);

 private:
  struct Line {
    uint32_t* frames = nullptr;  // in a batch
    uint32_t depth = 0;
    uint64_t count = 0;
  };
  // What one thread has made.
  struct Batch {
    std::vector<uint32_t> items;
    std::vector<Line> lines;
  };
  // The frames of a text.
  struct Parts {
    uint32_t begin = 0, count = 0;  // in parts_
  };

  void split_texts();
  void make_batch(uint32_t begin, uint32_t end, const Make& make, Batch& batch) const;
  void rank_frames();
  void sort();
  static bool same(const Line& a, const Line& b);
  void append(size_t begin, size_t end, std::string& out) const;
  static uint32_t item(const Line& line, size_t depth) {
    return depth < line.depth ? line.frames[depth] : 0;
  }

  TextTable& texts_;
  std::vector<Line> lines_;
  // A frame is its text's number, doubled, and one more where the line ends with it; once ranked,
  // its place, from 1, among the texts, each with the ';' that follows it unless the line ends. No
  // such text begins another one, so that lines are in the order of their frames' ranks.
  std::deque<Batch> batches_;
  std::vector<uint32_t> ranked_;  // items as they were, by rank
  std::vector<Parts> of_text_;
  std::vector<uint32_t> parts_;
};

}  // namespace aiflame
