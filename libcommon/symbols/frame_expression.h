// SPDX-License-Identifier: MIT
// Evaluates the DWARF expressions of call frame information. libdw decodes them.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libcommon/symbols/call_frames.h"

namespace aiflame {

// The evaluation of one expression with the values of one frame.
class FrameExpression {
 public:
  FrameExpression(const CallFrames::Read& read, const Registers& registers,
                  std::optional<uint64_t> frame_address = std::nullopt)
      : read_(read), registers_(registers), frame_address_(frame_address) {}

  // Nothing when the expression cannot be evaluated.
  std::optional<uint64_t> run(const Dwarf_Op* ops, size_t count);
  // After run(): its result is the value, not the address of the value.
  bool is_value() const { return is_value_; }

 private:
  uint64_t pop();
  void push(uint64_t value);
  uint64_t register_value(uint64_t number);
  bool binary(uint8_t operation);
  void apply(const Dwarf_Op& op);

  const CallFrames::Read& read_;
  const Registers& registers_;
  std::optional<uint64_t> frame_address_;
  std::vector<uint64_t> values_;
  bool is_value_ = false, failed_ = false;
};

}  // namespace aiflame
