// SPDX-License-Identifier: MIT
// Finds the files that name an object's code: the object, its debug file, perf's cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// The build id of the running kernel, hexadecimal; empty when it cannot be read.
std::string kernel_build_id();

// Whether a mapping with this path, as the kernel reports it, holds no file's content.
bool is_anonymous(std::string_view path);

// Whether a text is a build id that may name files: bytes as hex_of() writes them.
bool is_build_id(std::string_view text);

// Whether code of an ELF machine runs on an architecture of uname(2); true where that is not known.
bool may_run_on(std::string_view architecture, int elf_machine);

// The directory of perf's cache for one object, ~/.debug/.build-id/12/3456…; empty when `build_id`
// is no build id.
std::string build_id_cache(const std::string& build_id);

// Where distributions install debug files.
inline constexpr const char* kDebugFiles = "/usr/lib/debug";

// The debug file that a distribution installs for a build id; empty when `build_id` is no build id.
std::string debug_file_of(const std::string& build_id);

// The files that may hold an object's symbols, in the order in which perf looks. `debug_link` is
// the debug file that the object names, or empty.
std::vector<std::string> symbol_files(const std::string& path, const std::string& build_id,
                                      const std::string& debug_link);

}  // namespace aiflame
