// SPDX-License-Identifier: MIT
// The stall reasons of a tree, explained for the reader of the picture.
#pragma once

#include <string>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// An element that gives the meaning of each stall reason in the tree, and advice. page/reasons.js
// reads it. Empty when the tree has no known reason.
std::string reasons_element(const FlameTree& tree);

}  // namespace aiflame::svg
