// SPDX-License-Identifier: MIT
// What the device did: kernels, copies, fills and whole CUDA graphs, each under the call that
// started it.
#pragma once

#include <map>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-nsys/database.h"
#include "tools/stackcollapse-nsys/launches.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// A graph is either one row of the last table, or its nodes are rows of the others.
inline constexpr const char* kDeviceTables[] = {
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};

class DeviceWork {
 public:
  DeviceWork(const Database& database, const Strings& strings, const Settings& settings,
             Processes& processes, const Ranks* ranks, const Launches& launches,
             ImportedStacks& stacks)
      : database_(database),
        strings_(strings),
        settings_(settings),
        processes_(processes),
        ranks_(ranks),
        launches_(launches),
        stacks_(stacks) {}

  // Adds the time of all of it. Throws Error if the export has none of the tables.
  void draw();

 private:
  struct Work {
    int64_t start, end;
    std::optional<int64_t> process, correlation, device, stream, node;
    uint32_t name;  // the frame on top
  };
  void draw_kernels();
  void draw_copies();
  void draw_fills();
  void draw_graphs();
  void draw(const Work& work);
  // What stands in front of the process, as options ask for it.
  uint32_t front(const Work& work);
  uint32_t kernel_name(std::optional<int64_t> mangled, std::optional<int64_t> demangled,
                       std::optional<int64_t> short_name);

  const Database& database_;
  const Strings& strings_;
  const Settings& settings_;
  Processes& processes_;
  const Ranks* ranks_;  // nullptr: not asked for
  const Launches& launches_;
  ImportedStacks& stacks_;
  std::map<int64_t, uint32_t> kernel_names_;  // frames by the id of the name
};

}  // namespace aiflame::nsys
