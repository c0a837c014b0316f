// SPDX-License-Identifier: MIT
// Stands in plugins for the decoder of bzip2: Debian's libbz2.a is not position-independent, so
// that no shared object can have it inside, and libbz2.so has another name on each distribution.
// Inputs of plugins in that format are refused.
#include "libcommon/io/bzip2_decoder.h"

namespace aiflame {

std::unique_ptr<Decoder> make_bzip2_decoder() {
  return nullptr;
}

}  // namespace aiflame
