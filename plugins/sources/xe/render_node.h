// SPDX-License-Identifier: MIT
// The machine's GPUs, as the kernel lists them. They are found without being opened, which would
// wake them.
#pragma once

#include <string>
#include <vector>

namespace aiflame::source::xe {

struct RenderNode {
  std::string path;    // "/dev/dri/renderD128"
  std::string driver;  // "xe"; "" when sysfs does not say, as in some containers
  std::string vendor;  // PCI ids, lower case: "8086"
  std::string model;   // "e20b"
  std::string place;   // PCI address: "0000:03:00.0"; the path when that is unknown

  // "Battlemage G21 [Arc B580]" with a pci.ids on the machine, else "Intel GPU 8086:e20b".
  std::string name() const;
};

// In order of their numbers.
std::vector<RenderNode> render_nodes();

}  // namespace aiflame::source::xe
