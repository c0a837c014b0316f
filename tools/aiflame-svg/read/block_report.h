// SPDX-License-Identifier: MIT
// A thread's report about a block of the input that it has read.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/folded/frame_change.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/note.h"
#include "libcommon/folded/quantity.h"

namespace aiflame::svg {

inline constexpr const char* kMissingCount = "missing count";

struct BlockReport {
  // A line with a stack and its count.
  struct Counted {
    uint64_t line;  // in the block, from 1
    Count count, before;
    bool differs;  // it has two counts
  };
  // A line that says what is counted.
  struct Stated {
    uint64_t line;  // in the block, from 1
    Quantity quantity;
  };
  uint64_t number = 0;  // the block's place in the input
  std::string path;
  bool first = false;  // the first block of its file
  uint64_t lines = 0;
  std::vector<Counted> counted;
  std::vector<Stated> stated;  // but for lines that repeat the one before
  LaunchFacts launches;        // that lines tell of
  Notes notes;
  FrameChanges changes;
  uint64_t ignored = 0, first_ignored = 0;  // lines without a count, and the first of them

  // Why the block was not read to its end, if it was not: a mistake in line `lines`, or a failure
  // that belongs to no line. Either comes after everything in `counted`.
  std::string mistake;
  std::exception_ptr failure;

  bool failed() const { return !mistake.empty() || failure; }
};

}  // namespace aiflame::svg
