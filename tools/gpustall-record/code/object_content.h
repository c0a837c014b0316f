// SPDX-License-Identifier: MIT
// The bytes of a code object in a memfd that nobody can change any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aiflame::record {

class ObjectContent {
 public:
  // Empty.
  ObjectContent() = default;
  // Takes over `fd`, a memfd of `bytes` bytes. Stays empty when it has another size, or is not
  // sealed against writing and shrinking.
  ObjectContent(int fd, uint64_t bytes);
  ~ObjectContent();
  ObjectContent(ObjectContent&& other) noexcept;
  ObjectContent& operator=(ObjectContent&& other) noexcept;
  ObjectContent(const ObjectContent&) = delete;
  ObjectContent& operator=(const ObjectContent&) = delete;

  bool empty() const { return bytes_ == 0; }
  uint64_t size() const { return bytes_; }
  // For looking here and there: each page that is touched counts as the recorder's memory.
  std::string_view view() const { return {base_, bytes_}; }
  // For reading all of it. Returns the number of bytes read.
  size_t read(uint64_t offset, char* to, size_t bytes) const;

 private:
  int fd_ = -1;
  char* base_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace aiflame::record
