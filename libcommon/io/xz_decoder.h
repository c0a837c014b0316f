// SPDX-License-Identifier: MIT
// Decompresses .xz.
#pragma once

#include <memory>

#include "libcommon/io/decoder.h"

namespace aiflame {

// Null where there is no memory for it.
std::unique_ptr<Decoder> make_xz_decoder();

}  // namespace aiflame
