// SPDX-License-Identifier: MIT
// Blocks of folded lines into stacks with counts.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tools/aiflame-svg/block_report.h"
#include "tools/aiflame-svg/input_blocks.h"
#include "tools/aiflame-svg/stack_sink.h"

namespace aiflame {

struct LexOptions {
  bool merges = true;    // the stacks' order does not matter
  bool reverse = false;  // turn the stacks round
  bool wakers = false;   // annotate the frames of wakers, for the palette `chain`
};

class StackLexer {
 public:
  StackLexer(const LexOptions& options, StackSink& sink) : options_(options), sink_(sink) {}

  // Gives the block's stacks to the sink, and tells about them.
  BlockReport read(const InputBlock& block);
  // The sink counts in units of 10^-decimals; no finer count was there.
  unsigned decimals() const { return decimals_; }
  void use_decimals(unsigned decimals);

 private:
  // Enough for the memory that one of them waits for to come while others are looked at.
  static constexpr size_t kBatch = 32;

  bool take(std::string_view line, BlockReport& report);
  std::string_view prepared(std::string_view stack);
  void flush();

  LexOptions options_;
  StackSink& sink_;
  unsigned decimals_ = 0;
  bool differential_ = false;
  std::array<CountedStack, kBatch> stacks_;
  size_t pending_ = 0;
  std::array<std::string, kBatch> prepared_;
  std::string scratch_;
};

// `a;b;c` as `c;b;a`, for merging from the leaves.
void reverse_stack(std::string_view stack, std::string& out);

}  // namespace aiflame
