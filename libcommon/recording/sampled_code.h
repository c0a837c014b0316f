// SPDX-License-Identifier: MIT
// What the frame lines of a device sample say (pure).
//
//                  0 sbid ([stall])                                            the reason
//       800000001430 mad+0x30 (/home/u/objects/3f2a.zebin)                     a helper function
//       800000001200 multiply_basic+0x800 (/home/u/objects/3f2a.zebin)         the kernel
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/gpustall/gpustall_reader.h"

namespace aiflame {

// Views into the record. Everything is empty or 0 where the sample does not say it.
struct SampledCode {
  std::string_view reason;
  bool has_kernel = false;
  std::string_view kernel;
  std::vector<std::string_view> helpers;  // functions that the kernel called, outer first
  std::optional<uint64_t> offset;         // of the instruction, from its function's start
  uint64_t address = 0;                   // of the instruction
  uint64_t start = 0;                     // address of the kernel's first instruction
};

// Throws Error("path:line: …") where a line is no frame.
SampledCode sampled_code(const GpustallReader& reader, const GpustallRecord& sample);

}  // namespace aiflame
