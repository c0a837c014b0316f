// SPDX-License-Identifier: MIT
// Intel's disassembler as a library, libiga64. The only user of it.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// Exit status of iga_library_listing().
enum class IgaStatus { done = 0, no_library = 3, unknown_platform = 4, failed = 5 };

// Writes the instructions of `code` to standard output, as iga_listing.h has them. To be run in a
// child: from damaged code the library of Debian 12 writes what is no text, or crashes.
IgaStatus write_iga_listing(const std::string& platform, std::string_view code);

}  // namespace aiflame
