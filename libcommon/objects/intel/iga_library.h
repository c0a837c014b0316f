// SPDX-License-Identifier: MIT
// Intel's disassembler as a library, libiga64. The only file that uses it.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// What write_iga_listing() returns; also the exit status of the child that runs it.
enum class IgaStatus { done = 0, no_library = 3, unknown_platform = 4, failed = 5 };

// Writes the instructions of `code` to standard output, in the form that iga_listing.h documents.
// Run it in a child: on damaged code the library of Debian 12 writes garbage, or crashes.
IgaStatus write_iga_listing(const std::string& platform, std::string_view code);

}  // namespace aiflame
