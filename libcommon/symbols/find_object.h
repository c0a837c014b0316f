// SPDX-License-Identifier: MIT
// Where the files are that name an object's code: the object, its debug file, perf's cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// A file's text, at most `limit` of it; empty where it cannot be read or is no regular file.
std::string read_text(const std::string& path, size_t limit);

// Hexadecimal; empty where it cannot be read.
std::string kernel_build_id();

// ~/.debug/.build-id/12/3456…: perf's cache of one object. Empty for a build id that is none.
std::string build_id_cache(const std::string& build_id);

// The debug file that a distribution has installed for a build id; empty for one that is none.
std::string debug_file_of(const std::string& build_id);

// Where the symbols of an object may be, in the order in which perf looks. `debug_link` is what
// the object itself names.
std::vector<std::string> symbol_files(const std::string& path, const std::string& build_id,
                                      const std::string& debug_link);

}  // namespace aiflame
