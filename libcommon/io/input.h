// SPDX-License-Identifier: MIT
// Files, pipes and standard input as lines in big buffers that know their path and line number.
// .gz and .zst are recognised by their first bytes and read as what they contain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/io/file_window.h"
#include "libcommon/memory/read_buffer.h"

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
  // Of a source that is seekable(): how many bytes the file has now, and some of them, from a
  // multiple of FileWindow::kPage on.
  uint64_t size() const;
  FileWindow map_at(uint64_t offset, size_t size) const;
  // Has read() go on at an offset, where the source is seekable().
  void seek(uint64_t offset);
  // The path as it stands in messages.
  const std::string& name() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whole lines out of the middle of a ByteSource, for another reader (of another thread).
struct LineBlock {
  std::string name;  // of the source
  ReadBuffer buffer;
  size_t begin = 0, end = 0;  // where the lines lie in it
  uint64_t line_number = 0;   // what the line in front of them is called
};

// Lines of a ByteSource. A line is a view into the buffer: valid until the next call of next().
class LineReader {
 public:
  // A longer line is an error, so that a file without newlines cannot take all memory.
  // perf's longest lines are C++ symbols of some hundred kilobytes.
  static constexpr size_t kMaxLine = size_t{16} << 20;

  explicit LineReader(const std::string& path) : LineReader(ByteSource(path)) {}
  explicit LineReader(ByteSource&& source)
      : source_(std::move(source)), name_(source_->name()), at_end_(false) {}
  // Of blocks alone, by read().
  LineReader() = default;
  // Goes on with the lines of a block, whose buffer is swapped for the one before.
  void read(LineBlock& block);

  // The next line without its '\n'; false at the end of the input.
  bool next(std::string_view& line);

  // Number of the line last returned, from 1.
  uint64_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }
  // False when the input ended without a newline after the line last returned: it was cut short.
  bool terminated() const { return terminated_; }
  // "path:line", of the line last returned.
  std::string place() const;

  // What the buffer has behind the line last returned: views into it are as valid as lines.
  std::string_view ahead() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Makes ahead() longer, but not longer than the buffer is; false where it is all there is.
  bool read_ahead();
  // Bytes of the input up to ahead().
  uint64_t offset() const { return offset_ + begin_; }
  // Steps over the first `size` bytes of ahead(), which are `lines` whole lines.
  void skip(size_t size, uint64_t lines);
  // Steps over them, too, and hands them out; their lines are not counted.
  void cut(size_t size, LineBlock& out);
  // Says up to which line it has come by cut() and seek().
  void go_on_behind(uint64_t line_number) { line_number_ = line_number; }

  // As ByteSource has them; seek() leaves the line number as it is.
  bool seekable() const { return source_ && source_->seekable(); }
  size_t read_at(uint64_t offset, char* data, size_t size) {
    return source_->read_at(offset, data, size);
  }
  void seek(uint64_t offset);

 private:
  bool fill();

  std::optional<ByteSource> source_;
  std::string name_;
  ReadBuffer buffer_;
  size_t begin_ = 0;     // first byte not yet handed out
  size_t end_ = 0;       // one past the last byte read
  uint64_t offset_ = 0;  // of the buffer's first byte, in the input
  uint64_t line_number_ = 0;
  bool at_end_ = true;
  bool terminated_ = true;
};

}  // namespace aiflame
