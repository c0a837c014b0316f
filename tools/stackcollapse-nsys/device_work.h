// SPDX-License-Identifier: MIT
// What the device did: kernels, copies, fills and whole CUDA graphs, each under the call that
// started it.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/sqlite_database.h"
#include "libcommon/timeline/work_class.h"
#include "tools/stackcollapse-nsys/launches.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

// A graph is either one row of the last table, or its nodes are rows of the others.
inline constexpr const char* kDeviceTables[] = {
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};

// A row of one of the tables.
struct DeviceRow {
  int64_t start = 0, end = 0;
  std::optional<int64_t> process, correlation, device, stream, node;
  std::optional<int64_t> graph;  // what a node is a part of
  uint32_t name = 0;             // the frame on top
  WorkClass work_class = WorkClass::computation;
};

class DeviceWork {
 public:
  DeviceWork(const SqliteDatabase& database, const Strings& strings, const Settings& settings,
             const NvtxRanges& ranges, Processes& processes, const Ranks* ranks,
             const Launches& launches, ImportedStacks& stacks)
      : database_(database),
        strings_(strings),
        settings_(settings),
        ranges_(ranges),
        processes_(processes),
        ranks_(ranks),
        launches_(launches),
        stacks_(stacks) {}

  // Adds the time of all of it. Throws Error if the export has none of the tables.
  void draw();

 private:
  void read_kernels();
  void read_copies();
  void read_fills();
  void read_graphs();
  // Draws a row, or keeps it until the timelines are made.
  void take(const DeviceRow& row);
  // Adds a part of a row. `mark`: a frame, or empty.
  void add(const DeviceRow& row, uint64_t time, uint64_t records, std::string_view mark);
  void draw_timelines();
  uint32_t with_graph(uint32_t stack, const DeviceRow& row);
  // What stands in front of the process, as options ask for it. `whole_device`: of no stream.
  // `called`: when the thread called the API.
  uint32_t front(const DeviceRow& row, int64_t time, std::optional<uint64_t> thread,
                 uint64_t called, bool whole_device);
  uint32_t kernel_name(std::optional<int64_t> mangled, std::optional<int64_t> demangled,
                       std::optional<int64_t> short_name);

  const SqliteDatabase& database_;
  const Strings& strings_;
  const Settings& settings_;
  const NvtxRanges& ranges_;
  Processes& processes_;
  const Ranks* ranks_;  // nullptr: not asked for
  const Launches& launches_;
  ImportedStacks& stacks_;
  std::map<int64_t, uint32_t> kernel_names_;  // frames by the id of the name
  std::map<uint32_t, WorkClass> classes_;     // by frame
  std::vector<DeviceRow> rows_;               // with --idle or --exposed
};

}  // namespace aiflame::nsys
