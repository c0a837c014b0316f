// SPDX-License-Identifier: MIT
// Locations as frames. A location is an address of a program; where functions were inlined there,
// it has several lines, the innermost first:
//
//   location 7: line {add, v.h:12}, line {sum, main.cc:40}     sum;add_[i]
//   location 8: line {step, train.py:41}                       py::step:train.py
//   location 9: mapping /usr/lib/libc.so.6, no line            [libc.so.6]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-pprof/profile.h"

namespace aiflame::pprof {

class LocationFrames {
 public:
  LocationFrames(const Profile& profile, const NameRules& rules, ImportedStacks& stacks);

  // The frames of a location, by its number, the outermost first.
  std::span<const uint32_t> of(uint32_t location) const;

 private:
  uint32_t unknown(const Location& location);
  uint32_t frame(uint32_t function, bool inlined);

  const Profile& profile_;
  const NameRules& rules_;
  ImportedStacks& stacks_;
  std::vector<uint32_t> functions_, inlined_;  // frames by function, once they are known
  std::vector<uint32_t> begins_;               // in frames_, by location, and the end of the last
  std::vector<uint32_t> frames_;
};

// The frame of a function.
std::string function_frame(const Profile& profile, const Function& function,
                           const NameRules& rules);

}  // namespace aiflame::pprof
