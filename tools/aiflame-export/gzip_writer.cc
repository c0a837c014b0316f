// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/gzip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::exporter {
namespace {

// A million stacks: see the comment of the level in aiflame-export's README.
constexpr int kLevel = 1;
constexpr int kGzip = 15 + 16;  // the largest window, and gzip's head and tail
constexpr int kMemory = 8;      // zlib's default
constexpr size_t kBlock = size_t{64} << 10;

}  // namespace

struct GzipWriter::Stream {
  z_stream z{};
};

GzipWriter::GzipWriter(std::function<void(std::string_view bytes)> write)
    : stream_(std::make_unique<Stream>()), write_(std::move(write)), out_(kBlock, '\0') {
  if (deflateInit2(&stream_->z, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("zlib cannot compress");
}

GzipWriter::~GzipWriter() {
  deflateEnd(&stream_->z);
}

void GzipWriter::compress(int flush) {
  z_stream& z = stream_->z;
  do {
    z.next_out = reinterpret_cast<Bytef*>(out_.data());
    z.avail_out = static_cast<uInt>(out_.size());
    deflate(&z, flush);  // Z_BUF_ERROR: nothing was left to do
    write_(std::string_view(out_).substr(0, out_.size() - z.avail_out));
  } while (z.avail_out == 0);
}

void GzipWriter::write(std::string_view bytes) {
  constexpr size_t kMost = size_t{1} << 30;  // zlib counts in 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMost))) {
    const std::string_view piece = bytes.substr(0, kMost);
    stream_->z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_->z.avail_in = static_cast<uInt>(piece.size());
    compress(Z_NO_FLUSH);
  }
}

void GzipWriter::finish() {
  compress(Z_FINISH);
}

}  // namespace aiflame::exporter
