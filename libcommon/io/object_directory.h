// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace aiflame {

// Where gpustall-record keeps copies of code objects unless it is told: aiflame/objects in
// $XDG_CACHE_HOME or ~/.cache; "" without a home.
std::string default_object_directory();

}  // namespace aiflame
