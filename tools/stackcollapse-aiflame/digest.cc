// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/digest.h"

#include <unistd.h>

#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace aiflame {

Digester::Digester() {
  if (getentropy(secret_.data(), secret_.size()) == 0) return;
  std::random_device random;
  for (unsigned char& byte : secret_) byte = static_cast<unsigned char>(random());
}

Digest Digester::of(std::string_view text, uint32_t kind) const {
  const XXH128_hash_t hash =
      XXH3_128bits_withSecret(text.data(), text.size(), secret_.data(), secret_.size());
  const auto word = [](uint64_t bits) { return static_cast<uint32_t>(bits); };
  return {{word(hash.low64), word(hash.low64 >> 32), (word(hash.high64) & ~15U) | kind}};
}

}  // namespace aiflame
