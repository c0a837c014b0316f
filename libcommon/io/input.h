// SPDX-License-Identifier: MIT
// Reads files, pipes and standard input, as bytes or as lines with path and line number. gzip,
// zstd, xz and bzip2 are recognised by their first bytes and decompressed. UTF-16 becomes UTF-8,
// and a byte order mark is left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/io/file_window.h"
#include "libcommon/memory/read_buffer.h"

namespace aiflame {

// What messages call an input: "-" is <stdin>.
inline std::string input_name(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

// Decompressed bytes of a file. Throws Error, naming the path.
class ByteSource {
 public:
  // "-" is standard input, called <stdin> in messages.
  explicit ByteSource(const std::string& path);
  // Reads what an open file has from its current position on, and closes it. `name`: for messages.
  ByteSource(int descriptor, const std::string& name);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  // Up to `size` bytes; 0 only at the end.
  size_t read(char* data, size_t size);
  // The first `size` bytes, at most 64; fewer if there are no more. read() returns them again. Call
  // it before read().
  std::string_view peek(size_t size);
  // Whether read_at() reads the file itself, at any time and from several threads at once.
  bool seekable() const;
  // Up to `size` bytes at an offset of the file. An input that is not seekable (a pipe, a
  // compressed file, UTF-16) is first copied to an unnamed temporary file; then read() must not
  // have been called.
  size_t read_at(uint64_t offset, char* data, size_t size);
  // For a source that is seekable(): the current size of the file, and some of its bytes from a
  // multiple of FileWindow::kPage on.
  uint64_t size() const;
  FileWindow map_at(uint64_t offset, size_t size) const;
  // From now on, read() decompresses in a thread beside the caller, where there are two processors.
  void read_ahead();
  // From now on, a compressed file that is cut ends where it is cut, which is an error otherwise.
  void accept_cut();
  // Makes read() continue at an offset, if the source is seekable().
  void seek(uint64_t offset);
  // The path, as messages name it.
  const std::string& name() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whole lines from the middle of a ByteSource, for a reader in another thread.
struct LineBlock {
  std::string name;  // of the source
  ReadBuffer buffer;
  size_t begin = 0, end = 0;  // the lines, in the buffer
  uint64_t line_number = 0;   // of the line before them
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
  // For blocks only; see read().
  LineReader() = default;
  // Continues with the lines of a block, and swaps the block's buffer with the previous one.
  void read(LineBlock& block);

  // The next line without its '\n'; false at the end of the input.
  [[nodiscard]] bool next(std::string_view& line);

  // Number of the line last returned, from 1.
  uint64_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }
  // False when the input ended without a newline after the line last returned: it was cut short.
  bool terminated() const { return terminated_; }
  // "path:line" of the line last returned.
  std::string place() const;

  // The bytes in the buffer after the line last returned, valid as long as lines are.
  std::string_view ahead() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Reads more into ahead(), within the size of the buffer; false if nothing was added.
  [[nodiscard]] bool read_ahead();
  // The offset of ahead() in the input.
  uint64_t offset() const { return offset_ + begin_; }
  // Skips the first `size` bytes of ahead(), which are `lines` whole lines.
  void skip(size_t size, uint64_t lines);
  // Moves the first `size` bytes of ahead() into `out`, without counting their lines.
  void split_off(size_t size, LineBlock& out);
  // Sets the line number after split_off() and seek(), which do not count lines.
  void continue_after(uint64_t line_number) { line_number_ = line_number; }

  // As in ByteSource; seek() does not change the line number.
  bool seekable() const { return source_ && source_->seekable(); }
  size_t read_at(uint64_t offset, char* data, size_t size) {
    return source_->read_at(offset, data, size);
  }
  void seek(uint64_t offset);

 private:
  [[nodiscard]] bool fill();

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
