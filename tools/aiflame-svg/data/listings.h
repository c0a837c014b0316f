// SPDX-License-Identifier: MIT
// The listings of kernels, instruction by instruction, that aiflame-annotate wrote for the page:
// libcommon/listing/listings.h has the format, in which they stand in the picture, too.
#pragma once

#include <string>

#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// Reads the listings in `path` and returns an element of the picture with those whose kernel has a
// frame in the tree; without any, an empty text. `folder` is the URL of their pages, with a '/' at
// its end. Throws Error, with the line.
std::string listings_element(const std::string& path, const std::string& folder,
                             const FlameTree& tree);

}  // namespace aiflame::svg
