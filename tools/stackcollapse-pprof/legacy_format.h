// SPDX-License-Identifier: MIT
// The formats that pprof read before profile.proto. gperftools writes them, and Go does for
// /debug/pprof/heap?debug=1 and its like.
#pragma once

#include <string_view>

namespace aiflame::pprof {

// What a profile in one of these formats is, for a message: "a CPU profile"; empty for any other
// input.
std::string_view find_legacy_format(std::string_view profile);

}  // namespace aiflame::pprof
