// SPDX-License-Identifier: MIT
// What a thread has to say about a block of the input, once it has read it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "libcommon/base/count.h"

namespace aiflame::svg {

struct BlockReport {
  // A line that is a stack with a count.
  struct Counted {
    uint64_t line;  // of the block, from 1
    Count count, before;
    bool differs;  // it has a count from before
  };
  uint64_t number = 0;  // of the block
  std::string path;
  bool first = false;  // of its file
  uint64_t lines = 0;
  std::vector<Counted> counted;
  uint64_t ignored = 0, first_ignored = 0;  // lines that have no count

  // Why it was not read to its end: behind what was counted, at line `lines` or, of `failure`, at
  // none.
  std::string mistake;
  std::exception_ptr failure;

  bool failed() const { return !mistake.empty() || failure; }
};

}  // namespace aiflame::svg
