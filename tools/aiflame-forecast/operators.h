// SPDX-License-Identifier: MIT
#pragma once

#include "tools/aiflame-forecast/shapes.h"
#include "tools/aiflame-forecast/work.h"

namespace aiflame::forecast {

// What an operator of PyTorch, or of NeuSight's graphs, has to do at a data type (pure). An
// operator that is not known moves its inputs and an output as large as the largest one.
Work work_of(const OperatorText& text, DataType type);

// The families of NeuSight's vector operators by what they do to an element: 5 operations for
// softmax, 6 for layer norm, else 1, as its authors count.
double operations_per_element(Family family);

}  // namespace aiflame::forecast
