// SPDX-License-Identifier: MIT
#pragma once

#include <cinttypes>
#include <string>

#include "libcommon/base/program.h"
#include "libcommon/base/secret.h"

namespace aiflame {

// 16 hexadecimal digits that nobody can guess: for the name of a file until it is whole.
inline std::string random_digits() {
  uint64_t random = 0;
  fill_with_secret(reinterpret_cast<unsigned char*>(&random), sizeof random);
  return format("%016" PRIx64, random);
}

}  // namespace aiflame
