// SPDX-License-Identifier: MIT
#include "libcommon/input.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libcommon/program.h"

namespace aiflame {

// Raw bytes come through `raw`; the format decides what read() does with them.
struct ByteSource::Impl {
  // One read(2) of a pipe moves at most 64 KiB; files gain little beyond this.
  static constexpr size_t kRawSize = size_t{256} * 1024;

  enum class Format { plain, gzip, zstd };

  std::string name;
  int fd = -1;
  Format format = Format::plain;
  bool raw_at_end = false;
  bool stream_open = false;  // inside a compressed frame: an end of input here is a cut
  std::vector<char> raw;
  size_t raw_begin = 0, raw_end = 0;
  z_stream gzip{};
  ZSTD_DStream* zstd = nullptr;

  ~Impl() {
    if (format == Format::gzip) inflateEnd(&gzip);
    ZSTD_freeDStream(zstd);
    if (fd > STDIN_FILENO) ::close(fd);
  }

  [[noreturn]] void fail(const char* what) const { throw Error(name + ": " + what); }

  // Reads more raw bytes behind those not yet used.
  void fill() {
    if (raw_begin == raw_end) raw_begin = raw_end = 0;
    while (!raw_at_end && raw_end < raw.size()) {
      const ssize_t n = ::read(fd, raw.data() + raw_end, raw.size() - raw_end);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        // the second form of "cannot open": a directory opens, but does not read
        throw Error(aiflame::format("cannot read '%s': %s", name.c_str(), std::strerror(errno)));
      }
      if (n == 0) raw_at_end = true;
      raw_end += static_cast<size_t>(n);
      return;
    }
  }

  void detect() {
    // the magic numbers are 2 (1f 8b) and 4 bytes (28 b5 2f fd); a pipe may give fewer at a time
    while (raw_end < 4 && !raw_at_end) fill();
    const auto* bytes = reinterpret_cast<const unsigned char*>(raw.data());
    if (raw_end >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
      format = Format::gzip;
      if (inflateInit2(&gzip, 16 + MAX_WBITS) != Z_OK) fail("cannot start zlib");
    } else if (raw_end >= 4 && std::memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0) {
      format = Format::zstd;
      zstd = ZSTD_createDStream();
      if (zstd == nullptr) fail("cannot start zstd");
    }
  }

  size_t read_plain(char* data, size_t size) {
    if (raw_begin == raw_end) fill();
    const size_t n = std::min(size, raw_end - raw_begin);
    std::memcpy(data, raw.data() + raw_begin, n);
    raw_begin += n;
    return n;
  }

  size_t read_gzip(char* data, size_t size) {
    gzip.next_out = reinterpret_cast<Bytef*>(data);
    gzip.avail_out = static_cast<uInt>(size);
    while (gzip.avail_out == size) {
      if (raw_begin == raw_end) fill();
      if (raw_begin == raw_end) {
        if (stream_open) fail("compressed data ends in the middle");
        return 0;
      }
      stream_open = true;
      gzip.next_in = reinterpret_cast<Bytef*>(raw.data() + raw_begin);
      gzip.avail_in = static_cast<uInt>(raw_end - raw_begin);
      const int result = inflate(&gzip, Z_NO_FLUSH);
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
      if (raw_begin == raw_end) {
        if (stream_open) fail("compressed data ends in the middle");
        return 0;
      }
      ZSTD_inBuffer in{raw.data() + raw_begin, raw_end - raw_begin, 0};
      const size_t result = ZSTD_decompressStream(zstd, &out, &in);
      if (ZSTD_isError(result)) fail(ZSTD_getErrorName(result));
      raw_begin += in.pos;
      stream_open = result != 0;
    }
    return out.pos;
  }
};

ByteSource::ByteSource(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->name = path == "-" ? "<stdin>" : path;
  impl_->fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->fd < 0)
    throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
  impl_->raw.resize(Impl::kRawSize);
  impl_->detect();
}

ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

size_t ByteSource::read(char* data, size_t size) {
  switch (impl_->format) {
    case Impl::Format::gzip:
      return impl_->read_gzip(data, size);
    case Impl::Format::zstd:
      return impl_->read_zstd(data, size);
    case Impl::Format::plain:
      break;
  }
  return impl_->read_plain(data, size);
}

const std::string& ByteSource::name() const {
  return impl_->name;
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
    // make room: first by moving the unfinished line to the front, then by growing
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      searched -= begin_;
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size()) {
      if (end_ > kMaxLine) {
        ++line_number_;
        throw Error(place() + ": line longer than 16 MiB");
      }
      buffer_.resize(std::max<size_t>(1 << 20, buffer_.size() * 2));
    }
    const size_t n = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (n == 0) at_end_ = true;
    end_ += n;
  }
  if (begin_ == end_) return false;
  line = std::string_view(buffer_.data() + begin_, end_ - begin_);
  begin_ = end_;
  ++line_number_;
  terminated_ = false;
  return true;
}

std::string LineReader::place() const {
  return format("%s:%llu", name().c_str(), static_cast<unsigned long long>(line_number_));
}

}  // namespace aiflame
