// SPDX-License-Identifier: MIT
// Hashes that nobody can foresee who writes an input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame {

// Another number in each run: with it no file can be written whose texts all meet in one place of
// a table. Nothing that is written out may depend on it.
uint64_t hash_seed();

// 64 good bits: of a million texts two have the same hash once in thirty million runs.
uint64_t hash_text(std::string_view text, uint64_t seed);
// The same of many short texts, in less time.
void hash_texts(std::span<const std::string_view> texts, uint64_t seed, uint64_t* hashes);

}  // namespace aiflame
