// SPDX-License-Identifier: MIT
// Turns samples into counted stacks. A sample from perf gets the same frames that
// stackcollapse-aiflame makes from the text of perf script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/output.h"
#include "libcommon/perf_script/frame_names.h"
#include "libcommon/text/text_table.h"

namespace aiflame::dlfilter {

class FoldedSamples {
 public:
  explicit FoldedSamples(const FrameRules& rules) : rules_(rules) {}

  // A sample is begin(), then its frames, leaf first, then end() with its count.
  void begin(std::string_view comm, int32_t pid, int32_t tid);
  // An empty text = unknown.
  void frame(uint64_t address, std::string_view symbol, std::string_view object);
  void end(uint64_t count);

  // folded(5), sorted bytewise.
  void write(Output& out) const;

 private:
  FrameRules rules_;
  TextTable texts_;  // roots, folded frames
  TextTable lines_;  // perf's texts of a frame; folded_[number] is in texts_
  std::vector<uint32_t> folded_;
  ListTable stacks_;  // root, frames, leaf first: in texts_
  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;

  // The current sample.
  std::vector<uint32_t> items_;
  bool java_ = false;
  std::string key_;
};

}  // namespace aiflame::dlfilter
