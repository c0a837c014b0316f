// SPDX-License-Identifier: MIT
// --by-range: the roctx ranges of a process that are instances of the one that the user has named,
// as root frames.
#pragma once

#include <cstdint>
#include <map>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/range_instances.h"
#include "tools/stackcollapse-rocprof/process_trace.h"
#include "tools/stackcollapse-rocprof/settings.h"

namespace aiflame::rocprof {

class RangeRoots {
 public:
  // With --by-range, tells `stacks` which ranges there are.
  RangeRoots(const ProcessTrace& process, const Settings& settings, ImportedStacks& stacks);

  // Whether a range is an instance: then it is a frame nowhere else.
  bool has(const MarkedRange& range) const;
  // Whether a thread is in an instance at a time, or all threads are.
  bool is_in_instance(uint64_t thread, uint64_t time) const {
    return find(thread, time) != nullptr;
  }
  // That instance on top of a stack; nothing without --by-range. `call`: when the thread called;
  // null: it is not known, and outside.
  uint32_t append_to(uint32_t stack, const ApiCall* call) const;
  uint32_t append_to(uint32_t stack, uint64_t thread, uint64_t time) const;

 private:
  const RangeInstance* find(uint64_t thread, uint64_t time) const;
  uint32_t append(uint32_t stack, const RangeInstance* instance) const;

  const RangeChoice& choice_;
  ImportedStacks& stacks_;
  RangeInstances instances_;             // key: the text of the name
  std::map<uint32_t, uint32_t> frames_;  // by that text
};

}  // namespace aiflame::rocprof
