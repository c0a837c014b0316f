// SPDX-License-Identifier: MIT
// The picture that is written: under another name until it is whole, so that nobody finds a part of
// one. Standard output, devices and FIFOs get it when it is whole.
#pragma once

#include <optional>
#include <string>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/output.h"

namespace aiflame::front {

class Picture {
 public:
  // Opens a file beside `path`; "-" is standard output. `is_asked_for`: the user named the path,
  // and may replace what is there; else only a picture is replaced. Throws Error.
  Picture(std::string path, bool is_asked_for);
  ~Picture();
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  int descriptor() const { return file_.get(); }
  // Gives the file its name, or copies it to what is no regular file. Throws Error.
  void finish();

 private:
  void open_named();
  void open_unnamed();
  void copy();

  const std::string path_;
  std::string unfinished_;  // its name until then; "" if it has none
  Descriptor file_;
  std::optional<Output> special_;  // standard output, a device, a FIFO
};

}  // namespace aiflame::front
