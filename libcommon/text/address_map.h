// SPDX-License-Identifier: MIT
// A map by addresses that an input chooses: it cannot choose ones that collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "libcommon/text/text_hash.h"

namespace aiflame {

struct AddressHash {
  uint64_t seed = hash_seed();

  size_t operator()(uint64_t address) const {
    uint64_t bits = (address ^ seed) * 0x9e3779b97f4a7c15;
    bits ^= bits >> 32;
    return bits * 0xd6e8feb86659fd93;
  }
};
template <typename T>
using ByAddress = std::unordered_map<uint64_t, T, AddressHash>;

}  // namespace aiflame
