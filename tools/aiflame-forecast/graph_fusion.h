// SPDX-License-Identifier: MIT
// Fuses a graph as NeuSight's authors emulate torch.compile (pure).
#pragma once

#include "tools/aiflame-forecast/graph.h"

namespace aiflame::forecast {

// An operator element by element, a normalisation, or a copy is merged into the only node that
// reads its output, if that is such an operator as well, until there is none left. Products are
// not merged, nor is across the ends of a layer, which are others where the layer repeats. A
// merged node is called FIRST~LAST.
Graph fuse(Graph graph);

}  // namespace aiflame::forecast
