// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcommon/base/secret.h"

namespace aiflame::collapse {

Digester::Digester() {
  fill_with_secret(secret_.data(), secret_.size());
}

Digest Digester::of(std::string_view text, uint32_t kind) const {
  const XXH128_hash_t hash =
      XXH3_128bits_withSecret(text.data(), text.size(), secret_.data(), secret_.size());
  const auto word = [](uint64_t bits) { return static_cast<uint32_t>(bits); };
  return {{word(hash.low64), word(hash.low64 >> 32), (word(hash.high64) & ~15U) | kind}};
}

}  // namespace aiflame::collapse
