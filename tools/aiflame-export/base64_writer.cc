// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/base64_writer.h"

#include <cstdint>

namespace aiflame::exporter {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t kGroup = 3;

}  // namespace

// Three bytes are four digits; of fewer, at the end, `=` fills up.
void Base64Writer::add_group(std::string_view bytes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < kGroup; ++i)
    bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  for (size_t i = 0; i <= kGroup; ++i)
    text_ += i <= bytes.size() ? kDigits[bits >> (6 * (kGroup - i)) & 63] : '=';
}

void Base64Writer::write(std::string_view bytes) {
  text_.clear();
  while (!left_.empty() && left_.size() < kGroup && !bytes.empty()) {
    left_ += bytes.front();
    bytes.remove_prefix(1);
  }
  if (left_.size() == kGroup) {
    add_group(left_);
    left_.clear();
  }
  for (; bytes.size() >= kGroup; bytes.remove_prefix(kGroup)) add_group(bytes.substr(0, kGroup));
  left_ += bytes;
  write_(text_);
}

void Base64Writer::finish() {
  text_.clear();
  if (!left_.empty()) add_group(left_);
  left_.clear();
  write_(text_);
}

}  // namespace aiflame::exporter
