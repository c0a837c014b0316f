// SPDX-License-Identifier: MIT
// --by-range: the outermost range of that name in a stack becomes its root frame. A recording
// numbers the instances of a range if it was asked to (gpustall-record --number-ranges).
//
//   app;main;decode #7_[r];cudaLaunchKernel;-;k_[G]    decode
//   #7_[r];app;main;cudaLaunchKernel;-;k_[G] app;main;cudaLaunchKernel;-;k_[G] [outside
//   decode];app;main;…
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "libcommon/folded/range_choice.h"
#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

class RangeRoots {
 public:
  // Made after all frames are known.
  RangeRoots(TextTable& texts, const RangeChoice& choice);

  // Puts the root in front of line[begin...]: numbers of texts. Does nothing without --by-range.
  void add(std::vector<uint32_t>& line, size_t begin);
  // After the last stack. Throws Error if none has the range.
  void require() const;
  // Whether a stack's instance has no number, so that several may be one root.
  bool has_unnumbered() const { return has_unnumbered_; }

 private:
  enum class Part : uint8_t { other, range, wanted, end };
  struct Known {
    Part part = Part::other;
    uint64_t stacks = 0;  // in which it was looked at
  };
  Part part_of(std::string_view text) const;
  Part look_at(uint32_t frame);

  TextTable& texts_;
  const RangeChoice& choice_;
  const uint32_t outside_;
  std::map<uint32_t, Known> known_;  // by frame
  bool has_unnumbered_ = false;
};

}  // namespace aiflame::collapse
