// SPDX-License-Identifier: MIT
// Counts the ranges of an input by name, and says which of them --by-range wants.
#pragma once

#include <cstdint>
#include <map>

#include "libcommon/folded/range_choice.h"
#include "libcommon/import/imported_stacks.h"

namespace aiflame {

class WantedRanges {
 public:
  WantedRanges(const RangeChoice& choice, ImportedStacks& stacks)
      : choice_(choice), stacks_(stacks) {}

  // Counts an instance of the range that has this frame. Whether it is wanted.
  [[nodiscard]] bool count(uint32_t frame);
  // All are counted: ImportedStacks::ranges gets them.
  void finish() const;

 private:
  struct Name {
    uint64_t instances = 0;
    bool is_wanted = false;
  };
  const RangeChoice& choice_;
  ImportedStacks& stacks_;
  std::map<uint32_t, Name> names_;  // by frame
};

}  // namespace aiflame
