// SPDX-License-Identifier: MIT
// Folded stacks in any order, as runs that are in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/text/text_order.h"
#include "tools/aiflame-svg/read/name_table.h"
#include "tools/aiflame-svg/read/stack_runs.h"
#include "tools/aiflame-svg/read/stack_sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Of each batch of stacks, some megabytes of text, the texts are sorted: that is quick, as they are
// in the processor's cache, and of what neighbours share no frame needs to be looked up. A batch is
// a run, or, where it goes on behind the one before (the input is sorted), goes on with that.
class StackSorter : public StackSink {
 public:
  StackSorter() { names_.intern(""); }  // the root's

  // The stacks of a batch may be in any order.
  void add(std::span<const CountedStack> stacks) override;
  // The same for few stacks.
  void add(std::string_view stack, uint64_t count) { add(stack, count, count); }
  void add(std::string_view stack, uint64_t count, uint64_t before);
  void make_differential() override { runs_.make_differential(); }
  void scale(uint64_t factor) override { runs_.scale(factor); }

  const StackRuns& runs() const { return runs_; }
  // Name 0 is the root's.
  const NameTable& names() const { return names_; }
  NameTable take_names() { return std::move(names_); }
  // merged_tree() of this one. Nothing can be added any more.
  FlameTree finish();

 private:
  // Names are looked up so many at a time: the memory that one of them waits for comes while others
  // are looked at.
  static constexpr size_t kWaiting = 64;

  void append(std::string_view frames, const CountedStack& stack);
  uint32_t shared_frames(std::string_view frames, size_t same) const;
  void look_up_names();
  void merge_runs();

  StackRuns runs_;
  NameTable names_;
  size_t merged_ = 0;  // how much memory the runs took when they were one

  std::vector<OrderedText> texts_;  // of the batch
  std::vector<uint32_t> ends_;      // of the frames of the stack that was appended last: depth_
  uint32_t depth_ = 0;
  std::string_view last_;                           // its text
  std::string kept_;                                // the same, of the batch before
  std::array<std::string_view, kWaiting> waiting_;  // names to be looked up
  size_t waiting_size_ = 0;
};

// The tree of all stacks of the sorters, in which the x axis is the alphabet.
FlameTree merged_tree(std::vector<StackSorter>&& sorters);

}  // namespace aiflame::svg
