// SPDX-License-Identifier: MIT
// What the stall reasons of accelerators mean, and what to try against them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace aiflame {

struct StallReason {
  const char* name;     // as the source of the samples writes it, without a common prefix
  const char* vendor;   // "Intel", "NVIDIA", "AMD", or "HPCToolkit", which has names for all three
  const char* meaning;  // one sentence: what the thread was doing
  const char* advice;   // one sentence: what to try; empty where there is nothing to do
};

// All known reasons; names are unique.
std::span<const StallReason> stall_reasons();

// The reason called `name`, with or without CUPTI's prefixes and suffix or
// rocprofiler-sdk's prefix; nullptr if it is unknown.
const StallReason* find_stall_reason(std::string_view name);

}  // namespace aiflame
