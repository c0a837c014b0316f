// SPDX-License-Identifier: MIT
// NVTX ranges of CPU threads, and which of them enclose a moment.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-nsys/database.h"
#include "tools/stackcollapse-nsys/host_calls.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

class NvtxRanges {
 public:
  // More ranges than this are not drawn over one another.
  static constexpr size_t kDeepest = 500;

  // Keeps the ranges for which wanted(thread, begin, end) holds, an instant of [begin, end).
  using Wanted = std::function<bool(int64_t thread, int64_t begin, int64_t end)>;
  NvtxRanges(const Database& database, const Strings& strings, const Settings::Frames& frames,
             ImportedStacks& stacks, const Wanted& wanted);

  // Puts the ranges that enclose each call on top of its stack, the outermost first. The calls are
  // sorted by time.
  void enclose(std::vector<HostCall>& calls) const;

 private:
  struct Range {
    int64_t thread, begin, end;
    uint32_t frame;
  };

  ImportedStacks& stacks_;
  std::vector<Range> ranges_;  // sorted by thread and begin; of two that begin at once, the longer
};

}  // namespace aiflame::nsys
