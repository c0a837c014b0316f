// SPDX-License-Identifier: MIT
// The table that the kernel of hot.cl follows.
#pragma once

#include <cstdint>

namespace demo {

// Work-items, and steps of each in a launch: some milliseconds on a GPU, at 300 ns a load.
constexpr uint32_t kHotItems = 4096, kHotSteps = 20000;

// Fills `entries` places, a power of two, so that each leads to the next and the chain visits all.
// The full period is by Hull and Dobell: the factor is 1 modulo 4, and the increment is odd.
inline void fill_hot_table(uint32_t* table, uint32_t entries) {
  for (uint32_t i = 0; i < entries; ++i) table[i] = (i * 1664525u + 1013904223u) & (entries - 1);
}

}  // namespace demo
