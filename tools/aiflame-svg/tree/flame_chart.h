// SPDX-License-Identifier: MIT
// A flame chart: only neighbouring stacks are merged, and the x axis is the order of the input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-svg/read/stack_sink.h"
#include "tools/aiflame-svg/tree/tree_builder.h"

namespace aiflame::svg {

class FlameChart : public StackSink {
 public:
  FlameChart();

  void add(std::span<const CountedStack> stacks) override;
  void make_differential() override { differential_ = true; }
  void scale(uint64_t factor) override { builder_.scale(factor); }
  FlameTree finish() { return builder_.finish(std::move(names_), differential_); }

 private:
  void add(const CountedStack& stack);

  NameTable names_;
  TreeBuilder builder_;
  bool differential_ = false;
  std::string last_;          // the stack added last
  std::vector<size_t> ends_;  // where its frames end
};

}  // namespace aiflame::svg
