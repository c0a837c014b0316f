// SPDX-License-Identifier: MIT
// Demangles C++ and Rust symbol names. The only user of libiberty.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// `_ZN4mine5ScaleILi2EE3runEPf` as `mine::Scale<2>::run`, or with `parameters` as
// `mine::Scale<2>::run(float*)`. The first is what perf prints. A name that is not mangled, that
// was made to expand without end, or that is longer than 1 KB, or with `parameters` than 4 KB, is
// returned unchanged.
std::string demangle(std::string_view name, bool parameters);

}  // namespace aiflame
