// SPDX-License-Identifier: MIT
// Lines of a key and its values, with blanks between them, as files of devices and of weights have
// them. # begins a comment.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/io/input.h"

namespace aiflame::forecast {

class KeyLines {
 public:
  // `what` is for messages: "a device's file".
  KeyLines(const std::string& path, const char* what) : lines_(path), what_(what) {}

  // The key of the next line that has one; false at the end. Throws Error where the file is too
  // long to be what it is taken for.
  [[nodiscard]] bool next(std::string_view& key);
  // The next of the line's values; "" behind the last one.
  std::string_view value();
  // What is left of the line.
  std::string_view rest() const { return rest_; }
  // Fails where something is left.
  void end() const;

  // Throws an Error with the line's path:line.
  [[noreturn]] void fail(const std::string& what) const;
  const std::string& name() const { return lines_.name(); }

 private:
  LineReader lines_;
  const char* what_;
  std::string_view rest_;
};

}  // namespace aiflame::forecast
