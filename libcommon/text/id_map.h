// SPDX-License-Identifier: MIT
// Things by ids that an input has chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "libcommon/text/text_hash.h"

namespace aiflame {

// Hashed so, ids cannot be chosen to collide.
struct IdHash {
  uint64_t seed = hash_seed();
  size_t operator()(uint64_t id) const {
    uint64_t bits = (id ^ seed) * 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15;
    return static_cast<size_t>(bits ^ (bits >> 29));
  }
};
template <typename Value>
using IdMap = std::unordered_map<uint64_t, Value, IdHash>;

}  // namespace aiflame
