// SPDX-License-Identifier: MIT
// The stacks of both sides, each with its sum on either side. Subclasses differ in how they read
// the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "libcommon/folded/file_quantity.h"
#include "tools/aiflame-diff/sides.h"

namespace aiflame::diff {

// Every stack of either side once, in bytewise order. The rows are cut into pieces of a few
// megabytes, which several threads can visit at the same time.
class Rows {
 public:
  // `runs`: the count in each file, those before first.
  using Visit = std::function<void(std::string_view stack, const Pair& counts,
                                   std::span<const uint64_t> runs)>;

  Rows() = default;
  virtual ~Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  virtual size_t pieces() const = 0;
  // Calls `row` for each row of one piece, in order. The stack is valid during the call. A count
  // that one side does not have is 0.
  virtual void visit(size_t piece, const Visit& row) const = 0;

  // The sums of all counts. All counts are in units of 10^-decimals.
  Pair totals() const { return totals_; }
  unsigned decimals() const { return decimals_; }
  // What the files say of their counts, in order.
  const std::vector<FileQuantity>& quantities() const { return quantities_; }
  // By file: the line of its first stack if that begins with a slice of time, else 0.
  const std::vector<uint64_t>& slices() const { return slices_; }

 protected:
  Pair totals_{};
  unsigned decimals_ = 0;
  std::vector<FileQuantity> quantities_;
  std::vector<uint64_t> slices_;
};

}  // namespace aiflame::diff
