// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace aiflame {

// Takes numbers off the front of bytes, in the byte order of this machine. After the end it returns
// zeros, and ok() is false.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : at_(bytes.data()), left_(bytes.size()) {}

  template <typename T>
  T take() {
    T value{};
    if (!need(sizeof value)) return value;
    std::memcpy(&value, at_, sizeof value);
    advance(sizeof value);
    return value;
  }
  uint64_t u64() { return take<uint64_t>(); }
  uint32_t u32() { return take<uint32_t>(); }
  // The next `size` bytes; empty if there are fewer.
  std::string_view bytes(uint64_t size) {
    if (!need(size)) return {};
    const std::string_view out(at_, size);
    advance(size);
    return out;
  }
  // `count` times `each` bytes; the product may overflow.
  std::string_view bytes(uint64_t count, uint64_t each) {
    if (count > left_ / each) {
      ok_ = false;
      return {};
    }
    return bytes(count * each);
  }
  // Up to the next zero byte, or to the end.
  std::string_view text() {
    if (left_ == 0) return {};
    const size_t size = strnlen(at_, left_);
    const std::string_view out(at_, size);
    advance(size < left_ ? size + 1 : size);
    return out;
  }
  std::string_view rest() const { return {at_, left_}; }
  size_t left() const { return left_; }
  bool ok() const { return ok_; }

 private:
  [[nodiscard]] bool need(uint64_t size) {
    if (size > left_) ok_ = false;
    return ok_;
  }
  void advance(size_t size) {
    at_ += size;
    left_ -= size;
  }
  const char* at_;
  size_t left_;
  bool ok_ = true;
};

}  // namespace aiflame
