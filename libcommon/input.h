// SPDX-License-Identifier: MIT
// Files, pipes and standard input as lines in big buffers that know their path and line number.
// .gz and .zst are recognised by their first bytes and read as what they contain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// Bytes from a path, decompressed. Throws Error, naming the path.
class ByteSource {
 public:
  // "-" is standard input, called <stdin> in messages.
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  // Up to `size` bytes; 0 only at the end.
  size_t read(char* data, size_t size);
  // The first `size` bytes, fewer where there are no more; read() gives them again. To be called
  // before it, with at most 64.
  std::string_view peek(size_t size);
  // Whether read_at() reads the file itself, at any time and from several threads at once.
  bool seekable() const;
  // Up to `size` bytes at an offset of the file. What cannot be sought (a pipe, a compressed file)
  // is written into a temporary file first, which is removed; read() must not have been called.
  size_t read_at(uint64_t offset, char* data, size_t size);
  // The path as it stands in messages.
  const std::string& name() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Lines of a ByteSource. A line is a view into the buffer: valid until the next call of next().
class LineReader {
 public:
  // A longer line is an error, so that a file without newlines cannot take all memory.
  // perf's longest lines are C++ symbols of some hundred kilobytes.
  static constexpr size_t kMaxLine = size_t{16} << 20;

  explicit LineReader(const std::string& path) : source_(path) {}
  explicit LineReader(ByteSource&& source) : source_(std::move(source)) {}

  // The next line without its '\n'; false at the end of the input.
  bool next(std::string_view& line);

  // Number of the line last returned, from 1.
  uint64_t line_number() const { return line_number_; }
  const std::string& name() const { return source_.name(); }
  // False when the input ended without a newline after the line last returned: it was cut short.
  bool terminated() const { return terminated_; }
  // "path:line", of the line last returned.
  std::string place() const;

 private:
  ByteSource source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // first byte not yet handed out
  size_t end_ = 0;    // one past the last byte read
  uint64_t line_number_ = 0;
  bool at_end_ = false;
  bool terminated_ = true;
};

}  // namespace aiflame
