// SPDX-License-Identifier: MIT
// Writes counted stacks as lines of folded(5), sorted bytewise.
//
// A line's text is built only when the line is written: lines are long, and most begin like the
// preceding one. Until then a line is a list of frame numbers, and sorting compares numbers.
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
  // Returns the count of line `number`, or 0 for no line, and adds its frames, root first, at least
  // one.
  using Make = std::function<uint64_t(uint32_t number, std::vector<uint32_t>& frames)>;

  // Frames are numbers of `texts`. A text may be several frames, joined by ';'. Those are added to
  // `texts` one by one, and so are frames made printable().
  explicit FoldedLines(TextTable& texts) : texts_(texts) {}

  // Adds the lines of make(0) … make(count - 1). Several threads call make.
  void add(uint32_t count, const Make& make);
  // Stacks of the same text become one line. Returns the sum of the counts.
  uint64_t write(Output& out);

 private:
  struct Line {
    uint32_t* frames = nullptr;  // in a batch
    uint32_t depth = 0;
    uint64_t count = 0;
  };
  // The lines that one thread has made.
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
  // A frame of a line is its text's number, doubled, plus one where the line ends with it.
  // rank_frames() replaces it by its rank, from 1: its place among the texts, each taken with the
  // ';' that follows it unless the line ends. No such text is the beginning of another one, so
  // lines sort like the ranks of their frames.
  std::deque<Batch> batches_;
  std::vector<uint32_t> ranked_;  // the frames before ranking, by rank - 1
  std::vector<Parts> of_text_;
  std::vector<uint32_t> parts_;
};

}  // namespace aiflame
