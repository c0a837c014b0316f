// SPDX-License-Identifier: MIT
// What perf script's lines are as folded texts, by their bytes: a profile says the same hundred
// thousand lines a million times, and the same callers almost as often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/perf_frames.h"
#include "libcommon/perf_script.h"
#include "libcommon/text_table.h"
#include "tools/stackcollapse-aiflame/digest.h"
#include "tools/stackcollapse-aiflame/flat_table.h"
#include "tools/stackcollapse-aiflame/stack_table.h"
#include "tools/stackcollapse-aiflame/text_frames.h"

namespace aiflame {

class KnownLines {
 public:
  KnownLines(TextTable& texts, StackTable& stacks, const FrameRules& rules, TextFrames& folder)
      : texts_(texts), stacks_(stacks), rules_(rules), folder_(folder) {}

  // The root of a sample, in texts.
  uint32_t root(const PerfRecord& record);
  // A frame line as folded frames, in texts; `source` as fold_frame() has it.
  uint32_t frame(std::string_view line, std::string_view source, uint32_t root);
  // A sample that was only peeked at: its stack, and how many lines it has with header and blank
  // line. False where one of its lines is no frame.
  bool sample(const PerfRecord& header, const SampleText& text, Stack& stack, uint64_t& lines);

 private:
  // Java's names are tidied, so what a line is depends on whose it is. A line is a
  // frame wherever it stands in a sample; what is a frame elsewhere may be none there.
  enum Kind : uint32_t {
    kRoot,
    kFrame,
    kJavaFrame,
    kLine,
    kJavaLine,
    kFunction,
    kJavaFunction,
    kCallers,
    kJavaCallers
  };

  bool is_java(uint32_t root) const { return texts_.text(root).starts_with("java"); }
  uint32_t line(const Digest& digest, std::string_view line, uint32_t root, bool java);
  uint32_t function(std::string_view line, uint32_t root, bool java);
  uint32_t new_callers(std::string_view text, uint32_t root, bool java);

  TextTable& texts_;
  StackTable& stacks_;
  const FrameRules& rules_;
  TextFrames& folder_;
  Digester digester_;
  using Numbers = FlatTable<Digest>;
  Numbers numbers_;
  std::string joined_;
  std::vector<std::string_view> lines_;  // of the callers at hand
  std::vector<Digest> digests_;
  std::vector<uint32_t> frames_;
};

}  // namespace aiflame
