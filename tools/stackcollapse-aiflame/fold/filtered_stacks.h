// SPDX-License-Identifier: MIT
// The counted stacks of one CPU event, and how many of its samples the filters left out.
#pragma once

#include <cstdint>

#include "tools/stackcollapse-aiflame/filter/sample_filter.h"
#include "tools/stackcollapse-aiflame/fold/sample_weights.h"
#include "tools/stackcollapse-aiflame/fold/stack_counts.h"

namespace aiflame::collapse {

class FilteredStacks {
 public:
  FilteredStacks(const SampleFilter& filter, const TimeStep& by_time, TextTable& texts)
      : filter_(filter), stacks_(by_time, texts) {}

  // Whether the filters let a sample pass. Counts those that do not.
  bool passes(const SampleOrigin& origin) {
    if (!filter_.any() || filter_.passes(origin)) return true;
    ++filtered_;
    if (filter_.lacks(origin)) ++incomplete_;
    return false;
  }
  void count(uint32_t stack, uint64_t weight, std::optional<uint64_t> time) {
    weights_.add(weight);
    stacks_.add(stack, weight, time);
  }
  // A sample whose input tells no period.
  void count_plain(uint32_t stack, std::optional<uint64_t> time) {
    weights_.add_plain();
    stacks_.add(stack, 1, time);
  }
  // The samples so far are not drawn after all.
  void forget() {
    stacks_.forget();
    weights_ = {};
    filtered_ = incomplete_ = 0;
  }
  template <typename StackOf>
  void absorb(const FilteredStacks& part, const StackOf& stack_of) {
    filtered_ += part.filtered_;
    incomplete_ += part.incomplete_;
    weights_.absorb(part.weights_);
    stacks_.absorb(part.stacks_, stack_of);
  }

  const StackCounts& stacks() const { return stacks_; }
  const SampleWeights& weights() const { return weights_; }
  uint64_t filtered() const { return filtered_; }
  // Those of the filtered samples that lack the process or time that a filter needs.
  uint64_t incomplete() const { return incomplete_; }

 private:
  const SampleFilter& filter_;
  StackCounts stacks_;
  SampleWeights weights_;
  uint64_t filtered_ = 0, incomplete_ = 0;
};

}  // namespace aiflame::collapse
