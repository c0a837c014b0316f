// SPDX-License-Identifier: MIT
// Whether counts are numbers of samples, whose noise is known, or measured.
#pragma once

#include <optional>

#include "libcommon/folded/quantity.h"

namespace aiflame {

// What one sample adds to a count. 0: nothing was sampled, or a time, an energy or a size may be
// measured as well as sampled. Nothing where the input does not say what its counts are.
std::optional<double> count_of_sample(const Quantity& quantity);

}  // namespace aiflame
