// SPDX-License-Identifier: MIT
// Holes of files. A hole takes no space on disk and reads as zeros, so a file of some kilobytes can
// have any size, and a reader that takes it at its word fills its memory with zeros.
#pragma once

namespace aiflame {

// Whether more than half of a file is holes, and these are larger than those of honest files. False
// where the file system does not tell. Moves the descriptor's position to the start of the file.
bool is_mostly_hole(int fd);

}  // namespace aiflame
