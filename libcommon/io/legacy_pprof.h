// SPDX-License-Identifier: MIT
// The formats of profiles from before profile.proto. gperftools writes those of pprof, and Go does
// for /debug/pprof/heap?debug=1 and its like. jemalloc has its own, for jeprof.
#pragma once

#include <string_view>

namespace aiflame {

enum class LegacyPprof { none, pprof, jemalloc };

LegacyPprof find_legacy_pprof(std::string_view profile);

}  // namespace aiflame
