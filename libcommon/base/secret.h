// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstddef>
#include <random>

namespace aiflame {

// Bytes, 256 at most, that an input cannot know, so that none can make texts of which the hashes
// meet. std::random_device asks the processor what it is each time, which costs a virtual machine
// a tenth of a millisecond.
inline void fill_with_secret(unsigned char* data, size_t size) {
  if (getentropy(data, size) == 0) return;
  std::random_device random;
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(random());
}

}  // namespace aiflame
