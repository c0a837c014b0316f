// SPDX-License-Identifier: MIT
// Names of the source of a program that was built from a string. PoCL writes the string to a file
// of a random name, and removes it after the compiler has read it:
//
//   tempfile_81409D.cl       the debug information has this name
//   source_MBEDIDOO.cl       the recorder's copy of the object has this one: by PoCL's hash of the
//                            program, so that it is the same in each recording
//
// Both are as long as each other, so that nothing in an object moves.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

inline constexpr size_t kTemporarySourceBytes = 18;

// Whether the whole text is such a random name.
bool is_temporary_source(std::string_view name);

// "source_MBEDIDOO.cl" for a hash of at least 8 letters.
std::string stable_source(std::string_view hash);
// Whether the whole text is such a name.
bool is_stable_source(std::string_view name);

}  // namespace aiflame
