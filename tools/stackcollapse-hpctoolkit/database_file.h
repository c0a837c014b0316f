// SPDX-License-Identifier: MIT
// One file of a database. It begins with a header (numbers are little-endian):
//
//   00  "HPCTOOLKIT" "meta" 04 00        magic, which file it is, major and minor version
//   10  u64 size, u64 pointer            of section 0
//   20  u64 size, u64 pointer            of section 1, and so on
//
// and goes on with structures that point at each other by offsets in the file. Nothing in it is
// trusted: whatever is read is checked to lie in the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>

#include "libcommon/io/file_window.h"

namespace aiflame::hpctoolkit {

class DatabaseFile {
 public:
  static constexpr size_t kLongestText = 16384;

  // `kind`: "meta", "prof" or "ctxt". Throws Error.
  DatabaseFile(const std::string& path, std::string_view kind);
  // The same in memory, which outlives this.
  DatabaseFile(std::string name, std::string_view bytes, std::string_view kind);

  // Where a section begins.
  uint64_t section(uint64_t number) const { return u64(0x18 + 0x10 * number); }

  uint8_t u8(uint64_t at) const { return number<uint8_t>(at); }
  uint16_t u16(uint64_t at) const { return number<uint16_t>(at); }
  uint32_t u32(uint64_t at) const { return number<uint32_t>(at); }
  uint64_t u64(uint64_t at) const { return number<uint64_t>(at); }
  double f64(uint64_t at) const { return number<double>(at); }
  // Up to its zero byte, and no longer than kLongestText. Empty for the pointer 0.
  std::string_view text(uint64_t at) const;

  // Throws unless `count` times `each` bytes at `at` are in the file.
  void need(uint64_t at, uint64_t count, uint64_t each) const;
  // Throws unless structures of at least `least` bytes are `size` apart in an array.
  void need_size(uint64_t at, uint64_t size, uint64_t least) const;
  [[noreturn]] void fail(uint64_t at, const char* what) const;

  uint64_t size() const { return bytes_.size(); }
  const std::string& name() const { return name_; }

 private:
  void check(std::string_view kind) const;

  template <typename T>
  T number(uint64_t at) const {
    need(at, 1, sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  std::string name_;
  FileWindow window_;
  std::string_view bytes_;
  // Texts do not overlap, unless to make a small file a large one in memory.
  mutable std::unordered_set<uint64_t> long_texts_;
  mutable uint64_t text_bytes_ = 0;
};

}  // namespace aiflame::hpctoolkit
