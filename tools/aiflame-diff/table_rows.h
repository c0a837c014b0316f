// SPDX-License-Identifier: MIT
// Rows from files in any order, held in memory.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-diff/rows.h"
#include "tools/aiflame-diff/sorted_rows.h"
#include "tools/aiflame-diff/stack_table.h"

namespace aiflame {

// `stack` with each hexadecimal number as `0x...`: addresses differ from run to run.
void strip_hex(std::string_view stack, std::string& out);

class TableRows : public Rows {
 public:
  TableRows(const Paths& paths, bool strip_hex);

  size_t pieces() const override { return borders_.size() - 1; }
  void visit(size_t piece, const Visit& row) const override;

 private:
  // Each thread reads all files and keeps the stacks whose hash is its own: nothing is shared.
  struct Part {
    StackTable table;
    Pair totals{};
    unsigned decimals = 0;
  };

  static void read(const Paths& paths, bool strip, size_t number, size_t parts, Part& part);
  void cut();

  std::vector<Part> parts_;
  // the pieces: of each part the first row, and behind the last piece the number of rows
  std::vector<std::vector<size_t>> borders_;
};

}  // namespace aiflame
