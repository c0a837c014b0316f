// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame {

// FNV-1a in 64 bits: the same on each machine and in each version, for what is compared between
// files. Whoever writes a text can choose its hash; hash_text() is for tables.
constexpr uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace aiflame
