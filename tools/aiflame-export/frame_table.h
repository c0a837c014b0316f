// SPDX-License-Identifier: MIT
// The frames of all inputs as numbers, and what the formats want to know of a frame.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/device/stack_layers.h"
#include "libcommon/text/text_table.h"

namespace aiflame::exporter {

// The place in a source that a frame names: `py::step:train.py:41`, `matmul.cl:12_[G]`.
struct SourcePlace {
  std::string_view file;  // empty: none
  uint64_t line = 0;      // 0: none
};
SourcePlace source_place(std::string_view frame);

class FrameTable {
 public:
  // The number of a frame. What is not printable is escaped, so that all texts are UTF-8; an empty
  // frame is "[unknown]".
  uint32_t number(std::string_view frame);
  std::string_view text(uint32_t frame) const { return texts_.text(frame); }
  FrameRole role(uint32_t frame) const { return roles_[frame]; }
  size_t size() const { return texts_.size(); }

 private:
  TextTable texts_;
  std::vector<FrameRole> roles_;
};

// Numbers, from 0, the frames that a format writes, in the order of their first use.
class UsedFrames {
 public:
  explicit UsedFrames(const FrameTable& frames) : frames_(frames) {}

  uint32_t number(uint32_t frame) {
    if (frame >= numbers_.size()) numbers_.resize(frames_.size(), kUnused);
    uint32_t& number = numbers_[frame];
    if (number == kUnused) {
      number = static_cast<uint32_t>(order_.size());
      order_.push_back(frame);
    }
    return number;
  }
  size_t size() const { return order_.size(); }
  uint32_t frame(size_t number) const { return order_[number]; }
  std::string_view text(size_t number) const { return frames_.text(order_[number]); }

 private:
  static constexpr uint32_t kUnused = UINT32_MAX;

  const FrameTable& frames_;
  std::vector<uint32_t> numbers_, order_;
};

}  // namespace aiflame::exporter
