// SPDX-License-Identifier: MIT
// Splits blocks of folded lines into stacks with counts.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input_blocks.h"
#include "tools/aiflame-svg/read/block_report.h"
#include "tools/aiflame-svg/read/stack_sink.h"

namespace aiflame::svg {

struct LexOptions {
  bool merges = true;                // the order of the stacks does not matter
  bool reverse = false;              // reverse the stacks
  bool wakers = false;               // mark_wakers() on each stack
  bool strict = false;               // a line without a count is a mistake
  bool mixed = false;                // counts of different units are added
  std::optional<bool> two_counts{};  // on each line; nothing: as the first block says
};

class StackLexer {
 public:
  StackLexer(const LexOptions& options, StackSink& sink) : options_(options), sink_(sink) {}

  // Gives the block's stacks to the sink, and reports them.
  BlockReport read(const InputBlock& block);
  // The sink counts in units of 10^-decimals, the unit of the finest count so far.
  unsigned decimals() const { return decimals_; }
  void use_decimals(unsigned decimals);
  // With what the blocks say so far, for lexers of later ones.
  const LexOptions& options() const { return options_; }

 private:
  [[nodiscard]] bool take(std::string_view line, BlockReport& report);
  void take_comment(std::string_view line, BlockReport& report);
  std::string_view prepared(std::string_view stack);
  void flush();

  LexOptions options_;
  StackSink& sink_;
  unsigned decimals_ = 0;
  bool differential_ = false;
  std::string_view last_stated_;      // the last line of the block that says what is counted
  bool printable_ = true;             // all of the block, as nearly always
  std::vector<CountedStack> stacks_;  // of the block, not yet given to the sink
  size_t used_ = 0;                   // of prepared_
  std::deque<std::string> prepared_;  // their texts, where these differ from the block's
};

// Turns `a;b;c` into `c;b;a`, for merging from the leaves.
void reverse_stack(std::string_view stack, std::string& out);

}  // namespace aiflame::svg
