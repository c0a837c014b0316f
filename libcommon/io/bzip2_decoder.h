// SPDX-License-Identifier: MIT
// Decompresses .bz2.
#pragma once

#include <memory>

#include "libcommon/io/decoder.h"

namespace aiflame {

// Null where there is no memory for it.
std::unique_ptr<Decoder> make_bzip2_decoder();

}  // namespace aiflame
