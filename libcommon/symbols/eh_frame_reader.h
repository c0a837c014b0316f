// SPDX-License-Identifier: MIT
// A cursor over the tables of .eh_frame. See eh_frame.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace aiflame::eh_frame {

struct Expression {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

// A cursor over the bytes of a table; `ok` turns false when they run out.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;
  bool ok = true;

  template <typename T>
  T fixed() {
    T value{};
    if (end - at < static_cast<std::ptrdiff_t>(sizeof value)) {
      ok = false;
      at = end;
      return value;
    }
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0 || !ok) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0 && ok) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }
  // DW_EH_PE: the low four bits are the format, the next three what the value is relative to.
  uint64_t encoded(uint8_t encoding) {
    const auto here = reinterpret_cast<uint64_t>(at);
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = fixed<uint64_t>();
        break;
      case 0x02:
        value = fixed<uint16_t>();
        break;
      case 0x03:
        value = fixed<uint32_t>();
        break;
      case 0x0a:
        value = static_cast<uint64_t>(int64_t{fixed<int16_t>()});
        break;
      case 0x0b:
        value = static_cast<uint64_t>(int64_t{fixed<int32_t>()});
        break;
      default:
        ok = false;
    }
    switch (encoding & 0x70) {
      case 0x00:
        break;
      case 0x10:  // relative to this field
        value += here;
        break;
      default:
        ok = false;
    }
    return value;
  }
  Expression block() {
    const uint64_t bytes = uleb();
    if (bytes > static_cast<uint64_t>(end - at)) {
      ok = false;
      return {};
    }
    at += bytes;
    return {at - bytes, at};
  }
  void skip(uint64_t bytes) {
    if (bytes > static_cast<uint64_t>(end - at)) {
      ok = false;
      bytes = static_cast<uint64_t>(end - at);
    }
    at += bytes;
  }
};

}  // namespace aiflame::eh_frame
