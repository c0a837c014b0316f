// SPDX-License-Identifier: MIT
// The one rule by which names of kernels and device functions are shortened (pure).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace aiflame {

// Shortened names are no longer than this, in bytes. It is what fits a box as wide as a page, and
// three lines of a report; of 9 884 names of a PyTorch build for AMD it leaves one in three whole.
inline constexpr size_t kLongestShortName = 120;

// The name of a function without what nobody reads. `name` is demangled, by libiberty, LLVM or
// NVIDIA's tools, or as a program or a __PRETTY_FUNCTION__ spells it; what it names comes out the
// same from all of them.
//
//  - The result type and the parameters go. A lambda keeps the types of its own, which tell it from
//    the others of its scope, but not the operator() that every lambda has.
//  - Namespaces of types go, and those that have no name or number a version: `array<char*, 2>` for
//    `std::array<char*, 2ul>`, `string` for std::string's twelve words. Namespaces of the function
//    itself stay.
//  - A name that is still longer than kLongestShortName loses its template arguments, the innermost
//    first, or its end. `...` stands there, and the name ends in `#` and six hexadecimal digits of
//    a hash of the whole name. They keep functions apart that differ only there, and are the same
//    in each recording.
//
// Names that follow no C++ grammar only lose what follows the first parenthesis, and a long end.
std::string short_name(std::string_view name);

}  // namespace aiflame
