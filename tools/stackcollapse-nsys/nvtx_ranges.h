// SPDX-License-Identifier: MIT
// The NVTX ranges of an export. They are frames, but for the instances of the range that --by-range
// names, which are root frames.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/range_instances.h"
#include "libcommon/import/sqlite_database.h"
#include "libcommon/import/thread_ranges.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// A range of a thread, an instant of [begin, end).
using SeeRange = std::function<void(uint64_t thread, uint64_t begin, uint64_t end, uint32_t frame)>;
using WantedRange = std::function<bool(uint64_t thread, uint64_t begin, uint64_t end)>;

class NvtxRanges {
 public:
  // With --by-range, tells `stacks` which ranges there are.
  NvtxRanges(const SqliteDatabase& database, const Strings& strings, const Settings& settings,
             ImportedStacks& stacks);

  // Calls see() for each range that is a frame, and for the instances, whose frame is
  // HostActivity::kNoFrame here.
  void each(const SeeRange& see) const;
  // The frames that are wanted. Most ranges of a trace enclose no launch, and are not kept.
  ThreadRanges around(const WantedRange& wanted) const;
  // Whether a thread is in an instance at a time.
  bool is_in_instance(uint64_t thread, uint64_t time) const;
  // The instance that it is in, on top of a stack; nothing without --by-range. No thread: it is
  // outside.
  uint32_t append_instance(uint32_t stack, std::optional<uint64_t> thread, uint64_t time) const;

 private:
  void each_wanted(const WantedRange& wanted, const SeeRange& see) const;
  void find_instances();

  const SqliteDatabase& database_;
  const Strings& strings_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  RangeInstances instances_;  // key: the frame
};

}  // namespace aiflame::nsys
