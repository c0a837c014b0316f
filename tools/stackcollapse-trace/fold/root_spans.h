// SPDX-License-Identifier: MIT
// --root-cat: the spans of a category that last at a time, on whichever thread of the file, as
// root frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/fold/server_frames.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class RootSpans {
 public:
  RootSpans(const Trace& trace, const TraceSettings& settings, ImportedStacks& stacks);

  // The spans of a time on top of a stack. Does nothing without --root-cat.
  uint32_t append_to(uint32_t stack, int64_t time);

 private:
  static Trace roots_of(const Trace& trace);

  const bool wanted_;
  ImportedStacks& stacks_;
  Trace spans_;  // on one thread
  const Nesting nesting_;
  const std::string none_;
  std::optional<ServerFrames> server_;
  std::vector<uint32_t> nested_;
};

}  // namespace aiflame::trace
