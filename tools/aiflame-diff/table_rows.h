// SPDX-License-Identifier: MIT
// Rows from files in any order, held in memory.
#pragma once

#include <vector>

#include "tools/aiflame-diff/line_batch.h"
#include "tools/aiflame-diff/rows.h"
#include "tools/aiflame-diff/sorted_rows.h"
#include "tools/aiflame-diff/stack_table.h"

namespace aiflame::diff {

class TableRows : public Rows {
 public:
  TableRows(const Paths& paths, const Rewriting& rewriting);

  size_t pieces() const override { return borders_.size() - 1; }
  void visit(size_t piece, const Visit& row) const override;

 private:
  void settle(const std::vector<LineBatch>& batches, const Paths& paths,
              std::array<CountSum, kSides>& sums, uint64_t& line);
  void add(const std::vector<LineBatch>& batches, const Paths& paths, unsigned decimals,
           size_t part);
  void find_slice(const LineBatch& batch, uint64_t line);
  void cut();

  std::vector<bool> begun_;  // by file: whether a stack of it was seen
  // The hash of a stack chooses its part. One thread at a time fills a part.
  std::vector<StackTable> parts_;
  // By piece: its first row in each part. The last entry is the number of rows in each part.
  std::vector<std::vector<size_t>> borders_;
};

}  // namespace aiflame::diff
