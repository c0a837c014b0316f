// SPDX-License-Identifier: MIT
// The calls of the CUDA API, each with the stack that it was made on, by correlation id.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/sqlite_database.h"
#include "tools/stackcollapse-nsys/host_calls.h"
#include "tools/stackcollapse-nsys/nvtx_ranges.h"
#include "tools/stackcollapse-nsys/processes.h"
#include "tools/stackcollapse-nsys/settings.h"
#include "tools/stackcollapse-nsys/strings.h"

namespace aiflame::nsys {

class Launches {
 public:
  Launches(const SqliteDatabase& database, const Strings& strings, const Settings& settings,
           const NvtxRanges& ranges, Processes& processes, ImportedStacks& stacks);

  // The call that started work of the device, or nullptr: it was not recorded. Correlation ids are
  // a process's own: two processes have the same.
  const HostCall* find(std::optional<int64_t> process, std::optional<int64_t> correlation) const;
  // All of them, each with its stack. By process and correlation id.
  const std::vector<HostCall>& calls() const { return calls_; }
  // Where a node of a CUDA graph was made, without the process: the ranges at its capture.
  uint32_t find_node(std::optional<int64_t> process, std::optional<int64_t> node) const;

 private:
  struct Node {
    int64_t process, id;
    int64_t original;  // the node that this is a copy of, or 0
    uint32_t stack;
  };
  void read_calls(const SqliteDatabase& database, const Strings& strings, const Settings& settings,
                  Processes& processes);
  // The creations of nodes; `originals` has their originals' ids.
  std::vector<HostCall> read_nodes(const SqliteDatabase& database);
  const Node* find_one(int64_t process, int64_t id) const;

  ImportedStacks& stacks_;
  std::vector<HostCall> calls_;  // sorted by process and correlation id
  bool one_process_ = true;
  std::vector<Node> nodes_;  // sorted by process and id
};

}  // namespace aiflame::nsys
