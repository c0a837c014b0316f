// SPDX-License-Identifier: MIT
// Rows joined from sorted files, which are not held in memory.
#pragma once

#include <memory>
#include <vector>

#include "tools/aiflame-diff/rows.h"
#include "tools/aiflame-diff/sorted_file.h"

namespace aiflame::diff {

class SortedRows : public Rows {
 public:
  // Returns null when one of the files is not sorted as `match` compares it, has names that are not
  // printable(), or is a pipe, standard input or compressed. Throws Error for files that are not
  // folded text.
  static std::unique_ptr<SortedRows> open(const Paths& paths, Match match);

  size_t pieces() const override { return pieces_.size(); }
  void visit(size_t piece, const Visit& row) const override;

 private:
  struct File {
    SortedFile file;
    size_t side;
  };
  struct Range {
    uint64_t begin, end;
  };
  // The part of each file with the stacks of one piece.
  using Piece = std::vector<Range>;

  explicit SortedRows(Match match) : match_(match) {}
  void sum_up();
  void cut();

  Match match_;
  std::vector<File> files_;
  std::vector<Piece> pieces_;
};

}  // namespace aiflame::diff
