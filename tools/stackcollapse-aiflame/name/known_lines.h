// SPDX-License-Identifier: MIT
// What perf script's lines are as folded texts, by their bytes: a profile says the same hundred
// thousand lines a million times, and the same callers almost as often.
//
// Several threads know lines together: they look up without a lock, and learn one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/parallel/spinning_mutex.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/perf_script/perf_script.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/fold/digest.h"
#include "tools/stackcollapse-aiflame/fold/digest_table.h"
#include "tools/stackcollapse-aiflame/fold/stack_table.h"
#include "tools/stackcollapse-aiflame/name/text_frames.h"

namespace aiflame::collapse {

class KnownLines {
 public:
  KnownLines(TextTable& texts, StackTable& stacks, const FrameRules& rules, TextFrames& folder)
      : texts_(texts), stacks_(stacks), rules_(rules), folder_(folder), common_(*this) {}
  // For one of several threads: with the texts and the callers of `common`, which nobody is to use
  // otherwise meanwhile.
  KnownLines(KnownLines& common, TextFrames& folder)
      : texts_(common.texts_),
        stacks_(common.stacks_),
        rules_(common.rules_),
        folder_(folder),
        common_(common) {
    common.numbers_.share();
  }

  // The root of a sample, in texts.
  uint32_t root(const PerfRecord& record);
  // A sample's stack, from a frame on.
  Stack stack(const PerfRecord& record, size_t first_frame);
  // That of a sample that was only peeked at, and how many lines it has with header and blank line.
  // False where one of its lines is no frame.
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

  uint32_t frame(std::string_view line, std::string_view source, std::string_view comm);
  uint32_t line(const Digest& digest, std::string_view line, std::string_view comm);
  uint32_t function(std::string_view line, std::string_view comm);
  uint32_t callers(const Digest& digest, std::string_view text, std::string_view comm);
  bool fold_callers(std::string_view text, std::string_view comm);

  uint32_t find(const Digest& digest) const { return common_.numbers_.find(digest); }
  uint32_t learn_text(const Digest& digest, std::string_view text);
  uint32_t caller_count(uint32_t callers);

  TextTable& texts_;
  StackTable& stacks_;
  const FrameRules& rules_;
  TextFrames& folder_;
  KnownLines& common_;                   // this one, where there are no others
  std::vector<uint32_t> caller_counts_;  // plus one, of callers that were met

  // of the common one
  const Digester digester_;
  DigestTable numbers_;
  SpinningMutex mutex_;  // of texts_, stacks_, and what is added to numbers_

  std::string joined_;
  std::vector<std::string_view> lines_;  // of the callers at hand
  std::vector<Digest> digests_;
  std::vector<uint32_t> frames_;
};

}  // namespace aiflame::collapse
