// SPDX-License-Identifier: MIT
// Hashes that the author of an input cannot predict.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame {

// A random number, different in each run, so that no file can be written whose texts all collide in
// a table. Output must not depend on it.
uint64_t hash_seed();

// 64 well-mixed bits: among a million texts, two have the same hash once in thirty million runs.
uint64_t hash_text(std::string_view text, uint64_t seed);
// The same for many short texts, in less time.
void hash_texts(std::span<const std::string_view> texts, uint64_t seed, uint64_t* hashes);

}  // namespace aiflame
