// SPDX-License-Identifier: MIT
// Receives stacks with their counts, to make a flame tree of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame::svg {

struct CountedStack {
  std::string_view text;  // frames joined by ';', root first; empty frames at the end are ignored
  uint64_t count = 0, before = 0;
};

// The caller makes sure that sums fit 64 bits.
class StackSink {
 public:
  StackSink() = default;
  virtual ~StackSink() = default;

  virtual void add(std::span<const CountedStack> stacks) = 0;
  // From here on, both counts of a stack are kept. In stacks added so far both are equal.
  virtual void make_differential() = 0;
  // Multiplies every count.
  virtual void scale(uint64_t factor) = 0;

 protected:
  StackSink(StackSink&&) = default;
  StackSink& operator=(StackSink&&) = default;
};

}  // namespace aiflame::svg
