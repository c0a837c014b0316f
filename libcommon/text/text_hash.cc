// SPDX-License-Identifier: MIT
#include "libcommon/text/text_hash.h"

#include <cstring>

#include "libcommon/base/secret.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace aiflame {

uint64_t hash_seed() {
  static const uint64_t seed = [] {
    unsigned char bytes[sizeof(uint64_t)];
    fill_with_secret(bytes, sizeof bytes);
    uint64_t number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }();
  return seed;
}

uint64_t hash_text(std::string_view text, uint64_t seed) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

void hash_texts(std::span<const std::string_view> texts, uint64_t seed, uint64_t* hashes) {
  for (const std::string_view text : texts)
    *hashes++ = XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

}  // namespace aiflame
