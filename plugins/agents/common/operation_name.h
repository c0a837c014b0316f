/* SPDX-License-Identifier: MIT
 *
 * The names of copies and fills, as the recorder writes them and readers draw them:
 *
 *   Memcpy HtoD (Pageable -> Device, 64 KiB to 1 MiB)
 *   Memset (under 4 KiB)
 *
 * Sizes are classes, since each name is a stack of its own.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

class OperationName {
 public:
  // `what`: "Memcpy HtoD". `detail`: what else is known, or "". `size`: in bytes; 0 = not known.
  constexpr OperationName(const char* what, const char* detail, uint64_t size) {
    append(what);
    const char* const size_class = class_of(size);
    if (detail[0] == '\0' && size_class[0] == '\0') return;
    append(" (");
    append(detail);
    if (detail[0] != '\0' && size_class[0] != '\0') append(", ");
    append(size_class);
    append(")");
  }

  constexpr const char* text() const { return text_; }
  constexpr uint32_t bytes() const { return bytes_; }

 private:
  static constexpr const char* class_of(uint64_t size) {
    constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
    if (size == 0) return "";
    if (size < 4 * kKiB) return "under 4 KiB";
    if (size < 64 * kKiB) return "4 to 64 KiB";
    if (size < kMiB) return "64 KiB to 1 MiB";
    if (size < 16 * kMiB) return "1 to 16 MiB";
    if (size < 256 * kMiB) return "16 to 256 MiB";
    return "256 MiB and more";
  }
  constexpr void append(const char* part) {
    for (; *part != '\0' && bytes_ + 1 < sizeof text_; ++part) text_[bytes_++] = *part;
    text_[bytes_] = '\0';
  }

  char text_[96] = "";
  uint32_t bytes_ = 0;
};

}  // namespace aiflame::agent
