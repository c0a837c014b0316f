// SPDX-License-Identifier: MIT
// The stacks of both sides with their two sums, however they were read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "libcommon/base/count.h"

namespace aiflame::diff {

inline constexpr size_t kSides = 2;
// A value for BEFORE and one for AFTER.
using Pair = std::array<uint64_t, kSides>;

// Every stack of either side once, in bytewise order, cut into pieces of a few megabytes that can
// be gone through apart, by several threads at a time.
class Rows {
 public:
  using Visit = std::function<void(std::string_view stack, const Pair& counts)>;

  Rows() = default;
  virtual ~Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  virtual size_t pieces() const = 0;
  // The rows of one piece, in order; a stack is a view for the time of the call. A count that one
  // side does not have is 0.
  virtual void visit(size_t piece, const Visit& row) const = 0;

  // Sums of all counts, all in the unit 10^-decimals.
  Pair totals() const { return totals_; }
  unsigned decimals() const { return decimals_; }

 protected:
  Pair totals_{};
  unsigned decimals_ = 0;
};

// The sum of a file's counts, in the finest unit that has occurred.
class Sum {
 public:
  // False, and nothing added, when it would not fit 64 bits.
  bool add(const Count& count);
  bool widen_to(unsigned decimals);

  uint64_t value() const { return sum_.value; }
  unsigned decimals() const { return sum_.decimals; }

 private:
  Count sum_;
};

inline constexpr const char* kTooLarge = "the counts are too large to be added in 64 bits";

}  // namespace aiflame::diff
