// SPDX-License-Identifier: MIT
#include "libcommon/text/base64.h"

#include <cstddef>
#include <cstdint>

namespace aiflame {

// Three bytes are four digits; of fewer, at the end, `=` fills up.
void append_base64(std::string& out, std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
}

}  // namespace aiflame
