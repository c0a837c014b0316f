// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "libcommon/base/program.h"

namespace aiflame::collapse {

// Samples are not lost to an overflow: throws Error.
inline void add_checked(uint64_t& sum, uint64_t more) {
  if (more > UINT64_MAX - sum) throw Error("more than 18446744073709551615 samples");
  sum += more;
}

}  // namespace aiflame::collapse
