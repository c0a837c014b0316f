// SPDX-License-Identifier: MIT
// What one thread of the host did, and which of it lasted at given moments. Moments are asked in
// the order of time, so each mark is opened and closed once, however deep they nest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/deep_stack.h"

namespace aiflame::xplane {

class ThreadMarks {
 public:
  struct Mark {
    int64_t begin, end;  // ns
    uint32_t frame;
  };

  void add(int64_t begin, int64_t end, uint32_t frame) { marks_.push_back({begin, end, frame}); }
  // All are added.
  void sort();
  bool empty() const { return marks_.empty(); }

  // Answers moments that never go back.
  class Walk {
   public:
    Walk(const ThreadMarks& marks, ImportedStacks& stacks)
        : marks_(marks.marks_), stacks_(stacks) {}
    // The marks that have begun and not ended, each on the one that it began in.
    DeepStack stack_at(int64_t time);

   private:
    struct Open {
      int64_t end;
      uint32_t frame;
      DeepStack stack;
    };
    const std::vector<Mark>& marks_;
    ImportedStacks& stacks_;
    size_t next_ = 0, known_ = 0;  // open ones below known_ have their stack
    std::vector<Open> open_;
  };

 private:
  std::vector<Mark> marks_;
};

}  // namespace aiflame::xplane
