// SPDX-License-Identifier: MIT
// What became of the samples.
#pragma once

#include <cstdint>
#include <string>

#include "libcommon/code/stall_causes.h"
#include "libcommon/objects/mnemonic.h"

namespace aiflame::annotate {

struct Statistics {
  std::string event;          // empty: the input has no samples
  std::string unit;           // of all counts
  uint64_t samples = 0;       // all of the event, and the sum of the next four
  uint64_t listed = 0;        // on the instructions that were listed
  uint64_t outside = 0;       // of no known kernel
  uint64_t filtered = 0;      // of kernels that --kernel leaves out
  uint64_t below_limit = 0;   // of kernels that --min-percent leaves out
  uint64_t functions = 0;     // that were listed
  uint64_t instructions = 0;  // of these
  uint64_t sampled_instructions = 0;
  uint64_t unnamed[kUnnamedReasons] = {};  // of `listed`: of instructions without a name

  StallCoverage coverage;  // of the causes of their stalls

  // For people.
  std::string line() const;
  std::string json() const;
};

std::string coverage_json(const StallCoverage& its);

}  // namespace aiflame::annotate
