// SPDX-License-Identifier: MIT
// The first comment of a pprof profile that aiflame-export wrote, by which stackcollapse-pprof
// knows it. The comments that follow are the comment lines of the folded text.
#pragma once

namespace aiflame {

inline constexpr const char* kExportedProfile =
    "# aiflame-export: names of functions are frames of folded(5)";

}  // namespace aiflame
