// SPDX-License-Identifier: MIT
// The stacks that a stackcollapse-SOURCE program has found in somebody else's profile, with their
// counts, and what became of everything that it has read.
//
//   ImportedStacks stacks;
//   uint32_t launch = stacks.root("python3");
//   launch = stacks.child(launch, stacks.frame("cudaLaunchKernel"));
//   launch = stacks.child(launch, stacks.frame("-"));
//   stacks.read(40000);
//   stacks.add(stacks.child(launch, stacks.frame(kernel_frame("gemm", false))), 40000);
//
// Stacks are a tree: each holds its frame and the stack below. So an event of a trace that stands
// on another one costs its number, and the same stack is there once. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/range_choice.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"

namespace aiflame {

// Stands in a stack for frames that are left out of it.
inline constexpr std::string_view kTruncated = "[truncated]";

// Records of the input, and the sum of their weights.
struct ImportedSum {
  uint64_t records = 0, weight = 0;

  void add(uint64_t more, uint64_t more_records = 1) {
    records += more_records;
    weight += more;
  }
};

class ImportedStacks {
 public:
  // The stack without frames.
  static constexpr uint32_t kEmpty = 0;

  ImportedStacks();

  // ---- stacks ----
  // The number of a frame's text, made safe for a folded line. An empty text is "[unknown]".
  uint32_t frame(std::string_view text);
  // The text of a frame: valid as long as this.
  std::string_view text(uint32_t frame) const { return texts_.text(frame); }
  // The stack with `frame` on top of `stack`.
  uint32_t child(uint32_t stack, uint32_t frame) { return stacks_.number({stack, frame}); }
  uint32_t child(uint32_t stack, std::string_view text) { return child(stack, frame(text)); }
  // A stack of one frame that is a process: blanks become '_', as in stackcollapse-perf.pl.
  uint32_t root(std::string_view process);
  // All frames of `top` on top of `stack`.
  uint32_t append(uint32_t stack, uint32_t top);
  // The frame on top of a stack other than kEmpty, and the stack below it.
  uint32_t frame_of(uint32_t stack) const { return stacks_.key(stack).frame; }
  uint32_t below(uint32_t stack) const { return stacks_.key(stack).below; }

  // ---- what was read, and what became of it ----
  // Each record of the input that has a weight is read() once, and then either added to a stack,
  // maybe in several parts, or lost. `records`: how many there are of this weight together.
  void read(uint64_t weight, uint64_t records = 1) { read_.add(weight, records); }
  void add(uint32_t stack, uint64_t weight, uint64_t records = 1);
  // `why` is a phrase for people: "kernels that were still running".
  void lose(std::string_view why, uint64_t weight, uint64_t records = 1);
  // A part of what is drawn that people want to know: "without a launch". Parts may overlap.
  void part(std::string_view what, uint64_t weight, uint64_t records = 1);

  // ---- the end ----
  // What the counts are. Set it before write().
  Quantity quantity{};
  // What is to be said in words in front of the stacks (folded/note.h).
  std::vector<std::string> notes{};
  // How the kernels were launched, if the profile tells.
  LaunchFacts launches{};
  // The ranges that the programs marked, with --by-range.
  RangeNames ranges{};
  // Writes folded(5). Throws Error if what was read is not what is written and what is lost.
  void write(Output& out);
  // "gpu-time: 104.3 ms of 2995 records: 1.23 % without a launch; 0 lost"
  std::string line() const;
  std::string json() const;

 private:
  struct Stack {
    uint32_t below, frame;
    bool operator==(const Stack&) const = default;
  };

  TextTable texts_;
  NumberedTable<Stack> stacks_;
  std::vector<uint64_t> weights_;  // by stack
  ImportedSum read_, drawn_;
  std::map<std::string, ImportedSum, std::less<>> lost_, parts_;
};

}  // namespace aiflame
