// SPDX-License-Identifier: MIT
// What the host's threads did: functions of Python, marks of JAX and XLA (TraceMe), and the calls
// that launched work. Calls and marks may be on lines of their own:
//
//   python3          PjitFunction(f) |= GpuExecutable::ExecuteThunks |= fusion.1 ====|
//   Host Threads/7                                              hipModuleLaunchKernel |=| 2
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-xplane/settings.h"
#include "tools/stackcollapse-xplane/thread_marks.h"
#include "tools/stackcollapse-xplane/time_base.h"
#include "tools/stackcollapse-xplane/xspace.h"

namespace aiflame::xplane {

// A plane of threads, which is not made for another program.
bool is_host_plane(std::string_view name);

class HostThreads {
 public:
  HostThreads(const TimeBase& times, const Settings& settings, ImportedStacks& stacks)
      : times_(times), settings_(settings), stacks_(stacks) {}

  void read(const Plane& plane);
  // All are read. Throws Error for more threads and calls than a machine has.
  void finish();

  struct Launch {
    uint64_t correlation = 0;
    uint32_t stack = ImportedStacks::kEmpty;
    uint32_t step = ImportedStacks::kEmpty;  // a stack of the step, if the program marked it
    bool truncated = false;                  // whether the host's part is
  };
  // nullptr: it is not in the file. Numbers that are asked for in their order are found at once.
  const Launch* find(uint64_t correlation);

 private:
  struct Call {
    uint64_t correlation;
    int64_t begin;  // ns
    uint32_t thread, frame;
    uint32_t hlo_op;  // a frame, or kNone
    DeepStack stack{};
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void find_own_threads();
  void find_other_threads();
  void add_launches();

  const TimeBase& times_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  std::vector<ThreadMarks> threads_;
  ThreadMarks steps_;
  std::vector<Call> calls_;
  std::vector<Launch> launches_;  // by their numbers
  size_t next_ = 0;               // in launches_, after the one that was found last
};

}  // namespace aiflame::xplane
