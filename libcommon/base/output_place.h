// SPDX-License-Identifier: MIT
// Where a file is written to. The directory may be another user's, who could put a link under the
// file's name, or in place of a directory, to make root write somewhere else.
#pragma once

#include <sys/types.h>

#include <string>

#include "libcommon/base/descriptor.h"

namespace aiflame {

// A name in a directory that is open.
struct OutputPlace {
  Descriptor directory;
  std::string name;
};

// Opens the directory of `path`. Root follows no link of another user on the way. Throws Error.
OutputPlace find_output_place(const std::string& path);

// Opens a directory, for calls such as openat(2). Links are as above. Throws Error.
Descriptor open_output_directory(const std::string& path);

// Makes a directory, and those above it, where they are missing. Links are as above. Throws Error.
void make_output_directory(const std::string& path);

// What becomes of something that has the name of an output, but is no regular file of this user's
// with one name. FIFOs of this user or root, and devices, are written to.
enum class Planted {
  refused,
  replaced,  // it loses its name to a new file
};

struct OpenedOutput {
  Descriptor file;
  bool is_new = false;  // created here
};
// Opens what `place` names for writing, and does not truncate it. `path` is for messages. A new
// file gets `mode`. Throws Error.
OpenedOutput open_output(const OutputPlace& place, const std::string& path, mode_t mode,
                         Planted planted);

}  // namespace aiflame
