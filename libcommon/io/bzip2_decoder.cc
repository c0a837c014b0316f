// SPDX-License-Identifier: MIT
// The only user of libbz2.
#include "libcommon/io/bzip2_decoder.h"

#include <bzlib.h>

#include <algorithm>
#include <climits>

namespace aiflame {
namespace {

unsigned bounded(size_t size) {
  return static_cast<unsigned>(std::min<size_t>(size, UINT_MAX));
}

class Bzip2Decoder : public Decoder {
 public:
  Bzip2Decoder() = default;
  ~Bzip2Decoder() override { close(); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  bool open() {
    close();
    stream_ = {};
    is_open_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    return is_open_;
  }

  Step decode(const char* in, size_t in_size, char* out, size_t out_size) override {
    Step step;
    // the library takes what it only reads as changeable
    stream_.next_in = const_cast<char*>(in);
    stream_.avail_in = bounded(in_size);
    stream_.next_out = out;
    stream_.avail_out = bounded(out_size);
    const int result = BZ2_bzDecompress(&stream_);
    step.used = static_cast<size_t>(stream_.next_in - in);
    step.made = static_cast<size_t>(stream_.next_out - out);
    step.inside = result != BZ_STREAM_END;
    if (result != BZ_OK && result != BZ_STREAM_END)
      step.error =
          result == BZ_MEM_ERROR ? "no memory to decompress bzip2 data" : "damaged bzip2 data";
    if (result == BZ_STREAM_END && !open()) step.error = "no memory to decompress bzip2 data";
    return step;
  }

 private:
  void close() {
    if (is_open_) BZ2_bzDecompressEnd(&stream_);
    is_open_ = false;
  }

  bz_stream stream_{};
  bool is_open_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_bzip2_decoder() {
  auto decoder = std::make_unique<Bzip2Decoder>();
  if (!decoder->open()) return nullptr;
  return decoder;
}

}  // namespace aiflame
