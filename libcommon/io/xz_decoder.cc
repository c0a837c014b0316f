// SPDX-License-Identifier: MIT
// The only user of liblzma.
#include "libcommon/io/xz_decoder.h"

#include <lzma.h>

#include <algorithm>

namespace aiflame {
namespace {

// A stream says how much memory it needs, up to 4 GiB. `xz -9` needs 65 MiB.
constexpr uint64_t kMaxMemory = uint64_t{128} << 20;

const char* explain(lzma_ret result) {
  switch (result) {
    case LZMA_MEMLIMIT_ERROR:
      return "xz data that needs more than 128 MiB of memory to decompress";
    case LZMA_MEM_ERROR:
      return "no memory to decompress xz data";
    case LZMA_OPTIONS_ERROR:
      return "xz data of a kind that liblzma does not read";
    default:
      return "damaged xz data";
  }
}

class XzDecoder : public Decoder {
 public:
  ~XzDecoder() override { lzma_end(&stream_); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  XzDecoder() = default;
  bool open() { return lzma_stream_decoder(&stream_, kMaxMemory, 0) == LZMA_OK; }

  Step decode(const char* in, size_t in_size, char* out, size_t out_size) override {
    Step step;
    // streams may be followed by zeros, to fill up a block of a tape
    if (!inside_) {
      step.used =
          static_cast<size_t>(std::find_if(in, in + in_size, [](char c) { return c != 0; }) - in);
      if (step.used == in_size) return step;
    }
    inside_ = true;
    stream_.next_in = reinterpret_cast<const uint8_t*>(in) + step.used;
    stream_.avail_in = in_size - step.used;
    stream_.next_out = reinterpret_cast<uint8_t*>(out);
    stream_.avail_out = out_size;
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    step.used = in_size - stream_.avail_in;
    step.made = out_size - stream_.avail_out;
    if (result == LZMA_STREAM_END)
      inside_ = !open();
    else if (result != LZMA_OK && result != LZMA_BUF_ERROR)
      step.error = explain(result);
    step.inside = inside_;
    return step;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool inside_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_xz_decoder() {
  auto decoder = std::make_unique<XzDecoder>();
  if (!decoder->open()) return nullptr;
  return decoder;
}

}  // namespace aiflame
