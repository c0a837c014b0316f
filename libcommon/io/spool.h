// SPDX-License-Identifier: MIT
// A temporary file without a name: lines are written to it, and read again when all are there.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"

namespace aiflame {

class Spool {
 public:
  Spool();

  void write(std::string_view text);
  // Everything, once: nothing may be done with it afterwards.
  ByteSource read();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace aiflame
