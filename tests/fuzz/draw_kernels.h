// SPDX-License-Identifier: MIT
// Draws samples in the kernels of a device's code object.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/device/device_frames.h"
#include "libcommon/objects/kernel_table.h"

namespace aiflame::fuzz {

// Draws a sample every `step` bytes, in the first kernels and their first bytes only, to stay fast.
inline void draw_kernels(const std::string& path, const KernelTable& codes, uint64_t step) {
  DeviceRules rules;
  rules.levels = parse_levels("file,kernel,function,line,reason,offset");
  DeviceFrames frames(rules);
  size_t kernels = 0;
  for (const KernelCode& each : codes.all()) {
    if (++kernels > 16) break;
    frames.launch_fact(each.name, CodePlace{path, each.offset}, {{1 << 20, 1, 1}, {256, 1, 1}, 0});
    for (uint64_t at = 0; at < each.size && at < 4096; at += step) {
      DeviceCode code;
      code.kernel = each.name;
      code.offset = at;
      code.place = CodePlace{path, each.offset + at};
      code.start = CodePlace{path, each.offset};
      frames.fold(code);
    }
  }
}

}  // namespace aiflame::fuzz
