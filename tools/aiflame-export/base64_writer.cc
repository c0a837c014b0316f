// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/base64_writer.h"

#include "libcommon/text/base64.h"

namespace aiflame::exporter {

void Base64Writer::write(std::string_view bytes) {
  constexpr size_t kGroup = 3;
  text_.clear();
  while (!left_.empty() && left_.size() < kGroup && !bytes.empty()) {
    left_ += bytes.front();
    bytes.remove_prefix(1);
  }
  if (left_.size() == kGroup) {
    append_base64(text_, left_);
    left_.clear();
  }
  const size_t whole = bytes.size() - bytes.size() % kGroup;
  append_base64(text_, bytes.substr(0, whole));
  left_ += bytes.substr(whole);
  write_(text_);
}

void Base64Writer::finish() {
  text_.clear();
  append_base64(text_, left_);
  left_.clear();
  write_(text_);
}

}  // namespace aiflame::exporter
