// SPDX-License-Identifier: MIT
// Sorts folded stacks that come in any order into runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/text/text_order.h"
#include "tools/aiflame-svg/merge/stack_runs.h"
#include "tools/aiflame-svg/read/name_table.h"
#include "tools/aiflame-svg/read/stack_sink.h"

namespace aiflame::svg {

// Sorts each batch of stacks, some megabytes of text, while it is in the processor's cache. A batch
// becomes a run, or continues the last run when all of it sorts after that run (sorted input). The
// top of stack_sorter.cc explains why.
class StackSorter : public StackSink {
 public:
  StackSorter() { names_.intern(""); }  // the root's

  // The stacks of a batch may be in any order.
  void add(std::span<const CountedStack> stacks) override;
  // The same for single stacks.
  void add(std::string_view stack, uint64_t count) { add(stack, count, count); }
  void add(std::string_view stack, uint64_t count, uint64_t before);
  void make_differential() override { runs_.make_differential(); }
  void scale(uint64_t factor) override { runs_.scale(factor); }

  const StackRuns& runs() const { return runs_; }
  // Name 0 is the root's.
  const NameTable& names() const { return names_; }
  NameTable take_names() { return std::move(names_); }

 private:
  // Names are looked up this many at a time: while the memory for one is on its way, others are
  // hashed.
  static constexpr size_t kWaiting = 64;

  void append(std::string_view frames, const CountedStack& stack);
  uint32_t shared_frames(std::string_view frames, size_t same) const;
  void append_names(const char* text, size_t begin, const uint32_t* at, const uint32_t* end);
  void look_up_names();
  void merge_runs();

  StackRuns runs_;
  NameTable names_;
  size_t merged_ = 0;  // bytes of the runs after the last merge

  std::vector<OrderedText> texts_;  // of the batch
  std::vector<uint32_t> ends_;      // where the depth_ frames of the stack appended last end
  uint32_t depth_ = 0;
  std::string_view last_;                           // the text of that stack
  std::string kept_;                                // the last text of the previous batch
  std::array<std::string_view, kWaiting> waiting_;  // names to be looked up
  size_t waiting_size_ = 0;
};

}  // namespace aiflame::svg
