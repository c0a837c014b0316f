// SPDX-License-Identifier: MIT
// All bytes of an input at once, for formats that name things before they say what they are. A
// plain file is mapped, so its bytes are neither copied nor counted as this program's memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"

namespace aiflame {

class WholeInput {
 public:
  // Throws Error for more than `longest` bytes, which is whole GiB.
  WholeInput(ByteSource& source, size_t longest);
  WholeInput(const WholeInput&) = delete;
  WholeInput& operator=(const WholeInput&) = delete;

  std::string_view bytes() const {
    return window_.bytes() != nullptr ? std::string_view(window_.bytes(), window_.size())
                                      : std::string_view(text_);
  }

 private:
  FileWindow window_;
  std::string text_;
};

}  // namespace aiflame
