// SPDX-License-Identifier: MIT
#include "libcommon/io/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "libcommon/base/program.h"
#include "libcommon/io/bzip2_decoder.h"
#include "libcommon/io/read_ahead.h"
#include "libcommon/io/text_encoding.h"
#include "libcommon/io/xz_decoder.h"
#include "libcommon/memory/expansion.h"
#include "libcommon/memory/kept_names.h"

namespace aiflame {

// Bytes of the file are read into `raw`; the format decides how read() decodes them.
struct ByteSource::Impl {
  // One read(2) of a pipe returns at most 64 KiB. Larger reads of plain files bypass it.
  static constexpr size_t kRawSize = size_t{64} * 1024;
  // A thread that reads ahead takes longer to start than to decompress less than this.
  static constexpr size_t kWorthAhead = size_t{1} << 20;
  // Reads of at least this size go directly to the caller's memory, smaller ones through `raw`.
  static constexpr size_t kWorthwhile = size_t{32} * 1024;
  static constexpr size_t kUtf16Block = size_t{16} * 1024;

  enum class Format { plain, gzip, zstd, other };

  std::string name;
  int fd = -1;
  Format format = Format::plain;
  bool raw_at_end = false;
  bool has_member = false;   // a member of a gzip file has begun
  bool stream_open = false;  // inside a compressed frame: if the input ends here, it is cut
  ReadBuffer raw;
  size_t raw_begin = 0, raw_end = 0;
  z_stream gzip{};
  Expansion expansion;
  ZSTD_DStream* zstd = nullptr;
  std::unique_ptr<Decoder> decoder;  // of Format::other
  bool knows_encoding = false;
  TextEncoding encoding;
  std::optional<Utf16Decoder> utf16;
  std::string head;  // decompressed bytes, or text of UTF-16, from head_begin on not yet read
  size_t head_begin = 0;
  std::string peeked;  // the first bytes, not yet read
  bool seekable = false;
  std::FILE* spool = nullptr;  // a copy of an input that is not seekable
  bool may_be_cut = false;
  bool reads_ahead = false;
  size_t done = 0;                 // bytes read before `ahead`
  std::optional<ReadAhead> ahead;  // its thread uses what is above

  ~Impl() {
    ahead.reset();
    if (spool != nullptr) std::fclose(spool);
    if (format == Format::gzip) inflateEnd(&gzip);
    ZSTD_freeDStream(zstd);
    if (fd > STDIN_FILENO) ::close(fd);
  }

  [[noreturn]] void fail(const char* what) const { throw Error(name + ": " + what); }

  // Reads more raw bytes after those not yet used.
  void fill() {
    if (raw_begin == raw_end) raw_begin = raw_end = 0;
    if (raw_end < raw.size()) raw_end += read_into(raw.data() + raw_end, raw.size() - raw_end);
  }

  // One read(2); 0 at the end.
  size_t read_into(char* data, size_t size) {
    while (!raw_at_end) {
      const ssize_t n = ::read(fd, data, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        // a directory can be opened, but not read
        throw Error(aiflame::format("cannot read '%s': %s", name.c_str(), std::strerror(errno)));
      }
      if (n == 0) raw_at_end = true;
      return static_cast<size_t>(n);
    }
    return 0;
  }

  void detect() {
    // a pipe may return fewer bytes at a time
    while (raw_end < kEncodingBytes && !raw_at_end) fill();
    const std::string_view first(raw.data(), raw_end);
    if (first.starts_with("\x1f\x8b")) {
      format = Format::gzip;
      if (inflateInit2(&gzip, 16 + MAX_WBITS) != Z_OK) fail("cannot start zlib");
    } else if (first.starts_with("\x28\xb5\x2f\xfd")) {
      format = Format::zstd;
      zstd = ZSTD_createDStream();
      if (zstd == nullptr) fail("cannot start zstd");
    } else if (first.starts_with(std::string_view("\xfd"
                                                  "7zXZ\0",
                                                  6))) {
      decode_with(make_xz_decoder(), "cannot start liblzma");
    } else if (is_bzip2(first)) {
      decode_with(make_bzip2_decoder(), "cannot start libbz2");
    } else {
      set_encoding(first);
      raw_begin = encoding.mark;
    }
  }

  // `BZh`, the size of a block, and the number that begins a block, or the end of an empty file
  static bool is_bzip2(std::string_view first) {
    return first.size() >= 8 && first.starts_with("BZh") && first[3] >= '1' && first[3] <= '9' &&
           (first.substr(4, 4) == "1AY&" || first.substr(4, 4) == "\x17\x72\x45\x38");
  }

  void decode_with(std::unique_ptr<Decoder> with, const char* failure) {
    if (with == nullptr) fail(failure);
    decoder = std::move(with);
    format = Format::other;
  }

  void set_encoding(std::string_view first) {
    knows_encoding = true;
    encoding = find_encoding(first);
    if (encoding.kind != TextEncoding::Kind::bytes)
      utf16.emplace(encoding.kind == TextEncoding::Kind::utf16_little);
  }

  size_t read_plain(char* data, size_t size) {
    if (raw_begin == raw_end && size >= kWorthwhile) return read_into(data, size);
    if (raw_begin == raw_end) fill();
    const size_t n = std::min(size, raw_end - raw_begin);
    std::memcpy(data, raw.data() + raw_begin, n);
    raw_begin += n;
    return n;
  }

  void count(size_t compressed, size_t expanded) {
    if (!expansion.add(compressed, expanded)) fail(Expansion::kRefused);
    if (!KeptNames::allow(compressed)) fail(KeptNames::kRefused);
  }

  // The end of a compressed file.
  size_t end() const {
    if (stream_open && !may_be_cut) fail("compressed data ends in the middle");
    return 0;
  }

  // Members may be followed by zeros, to fill up a block of a tape; gzip(1) ignores them.
  void skip_zeros() {
    while (raw_begin < raw_end && raw.data()[raw_begin] == 0) ++raw_begin;
  }

  size_t read_gzip(char* data, size_t size) {
    gzip.next_out = reinterpret_cast<Bytef*>(data);
    gzip.avail_out = static_cast<uInt>(size);
    while (gzip.avail_out == size) {
      if (raw_begin == raw_end) fill();
      if (!stream_open && has_member) skip_zeros();
      if (raw_begin == raw_end && !raw_at_end) continue;
      if (raw_begin == raw_end) return end();
      stream_open = has_member = true;
      gzip.next_in = reinterpret_cast<Bytef*>(raw.data() + raw_begin);
      gzip.avail_in = static_cast<uInt>(raw_end - raw_begin);
      const int result = inflate(&gzip, Z_NO_FLUSH);
      count(raw_end - raw_begin - gzip.avail_in, size - gzip.avail_out);
      raw_begin = raw_end - gzip.avail_in;
      if (result == Z_STREAM_END) {
        stream_open = false;
        inflateReset(&gzip);  // `cat a.gz b.gz` is a valid file
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        fail(gzip.msg != nullptr ? gzip.msg : "damaged gzip data");
      }
    }
    return size - gzip.avail_out;
  }

  size_t read_zstd(char* data, size_t size) {
    ZSTD_outBuffer out{data, size, 0};
    while (out.pos == 0) {
      if (raw_begin == raw_end) fill();
      if (raw_begin == raw_end) return end();
      ZSTD_inBuffer in{raw.data() + raw_begin, raw_end - raw_begin, 0};
      const size_t result = ZSTD_decompressStream(zstd, &out, &in);
      if (ZSTD_isError(result)) fail(ZSTD_getErrorName(result));
      count(in.pos, out.pos);
      raw_begin += in.pos;
      stream_open = result != 0;
    }
    return out.pos;
  }

  size_t read_other(char* data, size_t size) {
    for (;;) {
      if (raw_begin == raw_end) fill();
      if (raw_begin == raw_end) return end();
      const Decoder::Step step =
          decoder->decode(raw.data() + raw_begin, raw_end - raw_begin, data, size);
      if (step.error != nullptr) fail(step.error);
      count(step.used, step.made);
      raw_begin += step.used;
      stream_open = step.inside;
      if (step.made > 0) return step.made;
      if (step.used == 0) fail("damaged compressed data");
    }
  }

  size_t read_format(char* data, size_t size) {
    switch (format) {
      case Format::other:
        return read_other(data, size);
      case Format::gzip:
        return read_gzip(data, size);
      case Format::zstd:
        return read_zstd(data, size);
      case Format::plain:
        break;
    }
    return read_plain(data, size);
  }

  // Compressed text may begin with a byte order mark, too.
  void find_encoding_of_format() {
    head.resize(kEncodingBytes);
    size_t size = 0;
    while (size < kEncodingBytes) {
      const size_t n = read_format(head.data() + size, kEncodingBytes - size);
      if (n == 0) break;
      size += n;
    }
    head.resize(size);
    set_encoding(head);
    head_begin = encoding.mark;
    if (!utf16) return;
    const std::string first = head.substr(head_begin);
    head.clear();
    head_begin = 0;
    utf16->decode(first, head);
  }

  // Adds to the text in `head`; false at the end.
  bool read_utf16() {
    head.clear();
    head_begin = 0;
    char block[kUtf16Block];
    while (head.empty()) {
      const size_t n = read_format(block, sizeof block);
      if (n == 0) {
        if (utf16->inside() && !may_be_cut) fail("UTF-16 text ends in the middle of a character");
        return false;
      }
      utf16->decode({block, n}, head);
    }
    return true;
  }

  // Decompressed bytes, as UTF-8 and without a byte order mark.
  size_t read_text(char* data, size_t size) {
    if (!knows_encoding) find_encoding_of_format();
    if (head_begin == head.size() && !utf16) return read_format(data, size);
    if (head_begin == head.size() && !read_utf16()) return 0;
    const size_t n = std::min(size, head.size() - head_begin);
    std::memcpy(data, head.data() + head_begin, n);
    head_begin += n;
    return n;
  }

  size_t read(char* data, size_t size) {
    if (ahead) return ahead->read(data, size);
    if (peeked.empty()) {
      const size_t n = read_text(data, size);
      done += n;
      if (reads_ahead && done >= kWorthAhead)
        ahead.emplace([this](char* to, size_t most) { return read_text(to, most); });
      return n;
    }
    const size_t n = std::min(size, peeked.size());
    std::memcpy(data, peeked.data(), n);
    peeked.erase(0, n);
    return n;
  }

  void spool_all() {
    spool = std::tmpfile();
    if (spool == nullptr) fail("cannot make a temporary file");
    ReadBuffer block(kRawSize);
    while (const size_t n = read(block.data(), block.size()))
      if (std::fwrite(block.data(), 1, n, spool) != n) fail("cannot write a temporary file");
    if (std::fflush(spool) != 0) fail("cannot write a temporary file");
  }
};

ByteSource::ByteSource(const std::string& path)
    : ByteSource(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                 input_name(path)) {}

ByteSource::ByteSource(int descriptor, const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->name = name;
  impl_->fd = descriptor;
  if (impl_->fd < 0)
    throw Error(format("cannot open '%s': %s", name.c_str(), std::strerror(errno)));
  impl_->raw.resize(Impl::kRawSize);
  impl_->detect();
  struct stat status {};
  // standard input may be at any position in its file
  impl_->seekable = impl_->format == Impl::Format::plain && impl_->encoding == TextEncoding() &&
                    fstat(impl_->fd, &status) == 0 && S_ISREG(status.st_mode) &&
                    ::lseek(impl_->fd, 0, SEEK_CUR) == static_cast<off_t>(impl_->raw_end);
}

ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

size_t ByteSource::read(char* data, size_t size) {
  return impl_->read(data, size);
}

std::string_view ByteSource::peek(size_t size) {
  std::string& peeked = impl_->peeked;
  while (peeked.size() < size) {
    char more[64];
    const size_t n = impl_->read_text(more, std::min(sizeof more, size - peeked.size()));
    if (n == 0) break;
    peeked.append(more, n);
  }
  return std::string_view(peeked).substr(0, size);
}

bool ByteSource::seekable() const {
  return impl_->seekable;
}

size_t ByteSource::read_at(uint64_t offset, char* data, size_t size) {
  if (!impl_->seekable && impl_->spool == nullptr) impl_->spool_all();
  const int fd = impl_->spool != nullptr ? ::fileno(impl_->spool) : impl_->fd;
  if (offset > INT64_MAX) return 0;
  size_t done = 0;
  while (done < size && offset + done <= INT64_MAX) {
    const ssize_t n = ::pread(fd, data + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw Error(format("cannot read '%s': %s", impl_->name.c_str(), std::strerror(errno)));
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

uint64_t ByteSource::size() const {
  struct stat status {};
  return fstat(impl_->fd, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

FileWindow ByteSource::map_at(uint64_t offset, size_t size) const {
  return {impl_->fd, offset, size};
}

void ByteSource::read_ahead() {
  impl_->reads_ahead = impl_->format != Impl::Format::plain;
}

void ByteSource::accept_cut() {
  impl_->may_be_cut = true;
}

void ByteSource::seek(uint64_t offset) {
  if (offset > INT64_MAX || ::lseek(impl_->fd, static_cast<off_t>(offset), SEEK_SET) < 0)
    throw Error(format("cannot read '%s': %s", impl_->name.c_str(), std::strerror(errno)));
  impl_->raw_begin = impl_->raw_end = 0;
  impl_->raw_at_end = false;
  impl_->peeked.clear();
}

const std::string& ByteSource::name() const {
  return impl_->name;
}

// Fits into the second-level cache, so that what read(2) wrote is still cached when it is searched.
// A quarter of it costs 1 to 3 % (`make bench`, collapse).
constexpr size_t kBuffer = size_t{256} * 1024;

void LineReader::read(LineBlock& block) {
  name_ = block.name;
  buffer_.swap(block.buffer);
  begin_ = block.begin;
  end_ = block.end;
  line_number_ = block.line_number;
  offset_ = 0;
}

// Reads more bytes to end_, after moving the bytes not yet handed out to the front. False at the
// end of the input, or if one line fills the buffer.
bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (!buffer_.empty()) return false;
    buffer_.resize(kBuffer);
  }
  const size_t n = source_->read(buffer_.data() + end_, buffer_.size() - end_);
  if (n == 0) at_end_ = true;
  end_ += n;
  return n > 0;
}

bool LineReader::next(std::string_view& line) {
  size_t searched = begin_;
  for (;;) {
    if (searched < end_) {
      const char* start = buffer_.data() + searched;
      const void* newline = std::memchr(start, '\n', end_ - searched);
      if (newline != nullptr) {
        const size_t stop = static_cast<size_t>(static_cast<const char*>(newline) - buffer_.data());
        line = std::string_view(buffer_.data() + begin_, stop - begin_);
        begin_ = stop + 1;
        ++line_number_;
        return true;
      }
      searched = end_;
    }
    if (at_end_) break;
    searched -= begin_;
    if (fill() || at_end_) continue;
    // one line, longer than the buffer
    if (end_ >= kMaxLine) {
      ++line_number_;
      throw Error(place() + ": line longer than 16 MiB");
    }
    buffer_.resize(buffer_.size() * 2);
  }
  if (begin_ == end_) return false;
  line = std::string_view(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  ++line_number_;
  terminated_ = false;
  return true;
}

bool LineReader::read_ahead() {
  return fill();
}

void LineReader::skip(size_t size, uint64_t lines) {
  begin_ += size;
  line_number_ += lines;
}

void LineReader::split_off(size_t size, LineBlock& out) {
  // the block takes the buffer, so that only the bytes after the block are copied
  out.buffer.resize(buffer_.size());
  const std::string_view rest = ahead().substr(size);
  std::memcpy(out.buffer.data(), rest.data(), rest.size());
  out.buffer.swap(buffer_);
  out.begin = begin_;
  out.end = begin_ + size;
  offset_ += out.end;
  begin_ = 0;
  end_ = rest.size();
}

void LineReader::seek(uint64_t offset) {
  source_->seek(offset);
  begin_ = end_ = 0;
  offset_ = offset;
  at_end_ = false;
}

std::string LineReader::place() const {
  return format("%s:%llu", name().c_str(), static_cast<unsigned long long>(line_number_));
}

}  // namespace aiflame
