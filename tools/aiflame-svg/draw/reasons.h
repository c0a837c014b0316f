// SPDX-License-Identifier: MIT
// The stall reasons of a tree, explained for the reader of the picture.
#pragma once

#include <string>

#include "tools/aiflame-svg/colour/reason_names.h"

namespace aiflame::svg {

// An element that names the stall reasons of a tree, with the category of each and, of those that
// are known, vendor, meaning and advice. page/reasons.js reads it. Empty when there is none.
std::string reasons_element(const ReasonNames& reasons);

}  // namespace aiflame::svg
