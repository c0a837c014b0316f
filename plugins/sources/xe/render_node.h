// SPDX-License-Identifier: MIT
// The GPUs of the machine, as the kernel lists them: found without opening, and so without waking,
// any of them.
#pragma once

#include <string>
#include <vector>

namespace aiflame::source::xe {

struct RenderNode {
  std::string path;    // "/dev/dri/renderD128"
  std::string driver;  // "xe"; "" where sysfs does not tell, as in some containers
  std::string vendor;  // PCI ids, lower case: "8086"
  std::string model;   // "e20b"
  std::string place;   // PCI address: "0000:03:00.0"; the path where that is not known

  // "Battlemage G21 [Arc B580]" where the machine has a pci.ids, else "Intel GPU 8086:e20b".
  std::string name() const;
};

// In order of their numbers.
std::vector<RenderNode> render_nodes();

}  // namespace aiflame::source::xe
