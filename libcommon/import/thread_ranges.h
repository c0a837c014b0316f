// SPDX-License-Identifier: MIT
// Ranges that a program has marked on its CPU threads (NVTX, roctx), and which of them enclose a
// moment, such as a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/import/imported_stacks.h"

namespace aiflame {

class ThreadRanges {
 public:
  // More ranges than this are not drawn over one another.
  static constexpr size_t kDeepest = 500;

  explicit ThreadRanges(ImportedStacks& stacks) : stacks_(stacks) {}

  // A range is [begin, end). Ranges may be added in any order; those that begin at once, the longer
  // or else the earlier added is outside.
  void add(uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame) {
    ranges_.push_back({thread, begin, end, frame});
  }
  void sort();
  bool empty() const { return ranges_.empty(); }

  // Puts the ranges that enclose each moment on top of its stack, the outermost first. The moments
  // (anything with thread, time and stack) are sorted by thread and time, the ranges are sort()ed.
  template <typename Moment>
  void enclose(std::vector<Moment>& moments) const {
    Walk walk(*this);
    for (Moment& one : moments) one.stack = walk.stack(one.thread, one.time, one.stack);
  }

 private:
  struct Range {
    uint64_t thread, begin, end;
    uint32_t frame;
  };
  // Ranges of push and pop are nested; those of start and end, and those of several domains, may
  // end in any order. So the open ones are a list, not a stack.
  class Walk {
   public:
    explicit Walk(const ThreadRanges& all) : all_(all), next_(all.ranges_.begin()) {}
    uint32_t stack(uint64_t thread, uint64_t time, uint32_t below);

   private:
    struct Open {
      uint64_t end;
      uint32_t frame;
    };
    const ThreadRanges& all_;
    std::vector<Range>::const_iterator next_;
    std::vector<Open> open_;
    uint64_t thread_ = 0;
    bool begun_ = false;
  };

  ImportedStacks& stacks_;
  std::vector<Range> ranges_;
};

}  // namespace aiflame
