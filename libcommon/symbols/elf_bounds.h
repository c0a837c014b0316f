// SPDX-License-Identifier: MIT
// What an object may ask for before libelf opens it. libelf and libdw allocate what headers claim,
// and a file of some kilobytes on disk can claim gigabytes: a hole takes no space, and reads as
// zeros.
#pragma once

namespace aiflame {

// Why libelf must not open the object of this descriptor, or nullptr: most of it is a hole, or it
// has more sections than any linker makes. What is no ELF object is left to libelf. Moves the
// descriptor's position to the start of the file.
const char* excess_of_elf(int fd);

}  // namespace aiflame
