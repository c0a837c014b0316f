// SPDX-License-Identifier: MIT
// A cache from the bytes of perf script's lines to folded texts. A profile repeats the same hundred
// thousand lines a million times, and the same lists of callers almost as often.
//
// Several threads share one cache: they look up without a lock, and add one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/parallel/spinning_mutex.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/perf_script/perf_script.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-aiflame/fold/digest.h"
#include "tools/stackcollapse-aiflame/fold/digest_table.h"
#include "tools/stackcollapse-aiflame/fold/stack_table.h"
#include "tools/stackcollapse-aiflame/name/recorded_objects.h"
#include "tools/stackcollapse-aiflame/name/text_frames.h"

namespace aiflame::collapse {

class KnownLines {
 public:
  // `cpu_prefix`: what comes before the root of samples outside of recordings.
  KnownLines(TextTable& texts, StackTable& stacks, const FrameRules& rules, TextFrames& folder,
             std::string cpu_prefix)
      : texts_(texts),
        stacks_(stacks),
        rules_(rules),
        folder_(folder),
        cpu_prefix_(std::move(cpu_prefix)),
        common_(*this) {}
  // For one of several threads. Shares the texts and the stacks of `common`. Until the threads are
  // done, they may be used only through objects made this way.
  KnownLines(KnownLines& common, TextFrames& folder)
      : texts_(common.texts_),
        stacks_(common.stacks_),
        rules_(common.rules_),
        folder_(folder),
        cpu_prefix_(common.cpu_prefix_),
        common_(common) {
    common.numbers_.share();
  }

  // The number of the text of a sample's root frame.
  uint32_t root(const PerfRecord& record);
  // A sample's stack, beginning with frame `first_frame`.
  Stack stack(const PerfRecord& record, size_t first_frame);
  // The build ids of the recording that is read.
  RecordedObjects& objects() { return objects_; }
  // The stack of a sample that the reader only peeked at, and how many lines it has, header and
  // blank line included. False where one of its lines is no frame.
  [[nodiscard]] bool sample(const PerfRecord& header, const SampleText& text, Stack& stack,
                            uint64_t& lines);

 private:
  // Mixed into digests, so that the same bytes can be cached as several things. The names of Java
  // functions are tidied, so a line's text depends on its program. kLine is a line of a sample that
  // was peeked at, where fewer lines count as frames than for the reader (kFrame).
  enum Kind : uint32_t {
    kRoot,
    kRecordedRoot,
    kFrame,
    kJavaFrame,
    kRecordedFrame,
    kRecordedJavaFrame,
    kLine,
    kJavaLine,
    kFunction,
    kJavaFunction,
    kCallers,
    kJavaCallers
  };

  uint32_t frame(std::string_view line, std::string_view source, std::string_view comm);
  uint32_t recorded_frame(const PerfRecord& record, std::string_view line);
  uint32_t line(const Digest& digest, std::string_view line, std::string_view comm);
  uint32_t function(std::string_view line, std::string_view comm);
  uint32_t callers(const Digest& digest, std::string_view text, std::string_view comm);
  [[nodiscard]] bool fold_callers(std::string_view text, std::string_view comm);

  uint32_t find(const Digest& digest) const { return common_.numbers_.find(digest); }
  uint32_t learn_text(const Digest& digest, std::string_view text);
  uint32_t caller_count(uint32_t callers);

  TextTable& texts_;
  StackTable& stacks_;
  const FrameRules& rules_;
  TextFrames& folder_;
  const std::string cpu_prefix_;
  KnownLines& common_;                   // *this without threads
  std::vector<uint32_t> caller_counts_;  // by callers: their number plus one; 0: not looked up yet

  // used only in common_
  const Digester digester_;
  DigestTable numbers_;
  SpinningMutex mutex_;  // guards texts_, stacks_ and additions to numbers_

  RecordedObjects objects_;
  std::string joined_;
  // scratch space of fold_callers()
  std::vector<std::string_view> lines_;
  std::vector<Digest> digests_;
  std::vector<uint32_t> frames_;
};

}  // namespace aiflame::collapse
