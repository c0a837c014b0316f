// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstddef>
#include <random>

namespace aiflame {

// Fills `data` with up to 256 random bytes, so that nobody can make an input whose hashes collide.
// std::random_device would execute CPUID each time, which costs a tenth of a millisecond in a
// virtual machine.
inline void fill_with_secret(unsigned char* data, size_t size) {
  if (getentropy(data, size) == 0) return;
  std::random_device random;
  for (size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(random());
}

}  // namespace aiflame
