// SPDX-License-Identifier: MIT
// The picture that is written: under another name until it is whole, so that nobody finds a part of
// one.
#pragma once

#include <string>

#include "libcommon/base/descriptor.h"

namespace aiflame::front {

class Picture {
 public:
  // Opens a file beside `path`. `is_asked_for`: the user named the path, and may replace what is
  // there; else only a picture is replaced. Throws Error.
  Picture(std::string path, bool is_asked_for);
  ~Picture();
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  int descriptor() const { return file_.get(); }
  // Gives the file its name. Throws Error.
  void finish();

 private:
  const std::string path_;
  std::string unfinished_;  // its name until then
  Descriptor file_;
};

}  // namespace aiflame::front
