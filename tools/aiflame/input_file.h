// SPDX-License-Identifier: MIT
// A file that somebody wants to see: what it is, which program reads it, what its picture is
// called.
#pragma once

#include <string>

#include "libcommon/io/file_kind.h"
#include "tools/aiflame/pipeline.h"

namespace aiflame::front {

struct InputFile {
  std::string path;
  FileKind kind = FileKind::unknown;

  // The program that makes folded stacks of it; "" for folded stacks.
  std::string reader() const { return std::string(kind_reader(kind)); }
};

// Looks at the first bytes, of a directory at what is in it. Throws Error if no program reads it.
// "-" is standard input, which can be read from its beginning afterwards, also where it was a pipe.
InputFile look_at(const std::string& path);

// "run/trace.json.gz" gives "trace", "-" gives "aiflame".
std::string stem(const std::string& path);

}  // namespace aiflame::front
