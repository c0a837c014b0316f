// SPDX-License-Identifier: MIT
#include "libcommon/text_hash.h"

#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace aiflame {

uint64_t hash_seed() {
  static const uint64_t seed = [] {
    uint64_t number = 0;
    // without randomness a table still works
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) number = 1;
    return number;
  }();
  return seed;
}

uint64_t hash_text(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

}  // namespace aiflame
