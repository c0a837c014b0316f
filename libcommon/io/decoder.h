// SPDX-License-Identifier: MIT
// Decompresses bytes step by step: xz_decoder.h, bzip2_decoder.h. Each member of a file that has
// several (`cat a.xz b.xz`) is decoded after the one before it.
#pragma once

#include <cstddef>

namespace aiflame {

class Decoder {
 public:
  // What one step did. `error` is null, or why the bytes cannot be decoded.
  struct Step {
    size_t used = 0, made = 0;
    bool inside = false;  // of a member: if the input ends here, it is cut
    const char* error = nullptr;
  };

  Decoder() = default;
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  // Decodes as much of `in` as fits into `out`; neither is empty.
  virtual Step decode(const char* in, size_t in_size, char* out, size_t out_size) = 0;
};

}  // namespace aiflame
