// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "libcommon/folded/file_quantity.h"

namespace aiflame::merge {

// What the sums are: what all files say, or unknown where `mixed` ones differ. `files` are what
// each of `paths` says. Throws Error where counts cannot be added, for the first such file.
Quantity merged_quantity(const std::vector<std::string>& paths,
                         const std::vector<FileQuantity>& files, bool mixed);

}  // namespace aiflame::merge
