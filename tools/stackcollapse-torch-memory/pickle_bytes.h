// SPDX-License-Identifier: MIT
// The bytes of a pickle, a few at a time: from a file of its own, or out of the page that
// _memory_viz.py writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"
#include "libcommon/memory/read_buffer.h"

namespace aiflame::torch_memory {

class PickleBytes {
 public:
  // A longer text is an error, so that a length cannot take all memory.
  static constexpr uint64_t kLongestText = uint64_t{1} << 20;

  // Throws Error if the input is neither a pickle of protocol 2 to 5 nor a page with one.
  explicit PickleBytes(const std::string& path);

  // The offset of the next byte in the pickle, for messages.
  uint64_t offset() const { return offset_ + at_; }
  const std::string& name() const { return source_.name(); }
  // Throws Error: "NAME: byte OFFSET: WHAT", of the current offset or an earlier one.
  [[noreturn]] void fail(const std::string& what) const { fail(offset(), what); }
  [[noreturn, gnu::cold]] void fail(uint64_t offset, const std::string& what) const;

  uint8_t u8() {
    need(1);
    return static_cast<uint8_t>(buffer_[at_++]);
  }
  // A number in little-endian order.
  template <typename T>
  T number() {
    need(sizeof(T));
    T out{};
    std::memcpy(&out, buffer_.data() + at_, sizeof out);
    at_ += sizeof out;
    return out;
  }
  // Valid until the next call of any function.
  std::string_view bytes(uint64_t size) {
    if (size > kLongestText) fail_of_length(size);
    need(size);
    const std::string_view out(buffer_.data() + at_, size);
    at_ += size;
    return out;
  }
  // The bytes up to a newline, without it.
  std::string_view line();

 private:
  void need(uint64_t size) {
    if (size > end_ - at_) fill(size);
  }
  void fill(uint64_t size);
  [[nodiscard]] bool fill_more();
  size_t read(char* data, size_t size);
  size_t read_base64(char* data, size_t size);
  void find_page_data();
  [[noreturn, gnu::cold]] void fail_of_length(uint64_t size) const;

  ByteSource source_;
  ReadBuffer buffer_;
  size_t at_ = 0, end_ = 0;
  uint64_t offset_ = 0;  // of the buffer's first byte
  // Of a page: the text that has been read of it.
  bool in_page_ = false, page_ended_ = false;
  std::string page_text_;
  size_t page_at_ = 0;
};

}  // namespace aiflame::torch_memory
