// SPDX-License-Identifier: MIT
// Folded files into batches of marked stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/input.h"
#include "tools/aiflame-svg/marked_stack.h"
#include "tools/aiflame-svg/stack_batch.h"

namespace aiflame {

struct LexOptions {
  bool merges = true;    // the stacks' order does not matter
  bool reverse = false;  // turn the stacks round
  bool wakers = false;   // annotate the frames of wakers, for the palette `chain`
};

class StackLexer {
 public:
  StackLexer(const std::vector<std::string>& paths, const LexOptions& options)
      : paths_(paths), options_(options), marker_(options.merges) {}

  // Fills `batch` with the lines that follow; false when there are none. Throws Error.
  bool next(StackBatch& batch);

  // After the last batch: one warning each about lines that have no count, and about some of two
  // counts among others of one.
  void warn_of_lines() const;

 private:
  // Small enough for the second-level cache of the thread that takes it.
  static constexpr size_t kBatch = size_t{256} * 1024;

  bool take(std::string_view line, StackBatch& batch);
  std::string_view prepared(std::string_view stack);

  const std::vector<std::string>& paths_;
  LexOptions options_;
  size_t next_path_ = 0;
  std::optional<LineReader> reader_;
  StackMarker marker_;
  std::string reversed_, annotated_;
  uint64_t lines_ = 0, ignored_ = 0, differing_ = 0;
  std::string first_ignored_;
};

}  // namespace aiflame
