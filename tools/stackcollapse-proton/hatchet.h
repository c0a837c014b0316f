// SPDX-License-Identifier: MIT
// Reads the JSON for Hatchet that Triton's profiler Proton writes, as a tree with one metric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-proton/metric.h"

namespace aiflame::proton {

struct HatchetTree {
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Node {
    uint32_t parent = kNone;
    uint32_t name = kNone;   // in texts; none where the file was cut before it
    bool is_device = false;  // its metrics name a device: a kernel, or a part of one
    bool has_cycles = false, has_samples = false;
    uint64_t stalled = 0;  // num_stalled_samples: the sum of the reasons, as the file states it
  };
  struct Value {
    uint32_t node, key;
    WholeNumber number;
  };

  std::string file;  // as messages name it
  TextTable texts;
  std::vector<Node> nodes;    // parents first
  std::vector<Value> values;  // of the metric
  uint64_t negative = 0;      // values that cannot be drawn: below 0, or too large
  bool is_cut = false;
  std::vector<uint32_t> keys;  // those of all metrics, in the order of the file
};

// Throws Error with "path:line: what".
HatchetTree read_hatchet(const std::string& path, const Metric& metric);

}  // namespace aiflame::proton
