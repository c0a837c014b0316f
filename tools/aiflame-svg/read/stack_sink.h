// SPDX-License-Identifier: MIT
// What takes stacks and becomes a flame tree.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame::svg {

struct CountedStack {
  std::string_view text;  // frames joined by ';', root first; empty ones at the end do not count
  uint64_t count = 0, before = 0;
};

// Sums that do not fit 64 bits are for the caller to know of.
class StackSink {
 public:
  StackSink() = default;
  virtual ~StackSink() = default;

  virtual void add(std::span<const CountedStack> stacks) = 0;
  // From here on counts from before are kept. Stacks added up to now have not changed.
  virtual void make_differential() = 0;
  // Multiplies every count.
  virtual void scale(uint64_t factor) = 0;

 protected:
  StackSink(StackSink&&) = default;
  StackSink& operator=(StackSink&&) = default;
};

}  // namespace aiflame::svg
