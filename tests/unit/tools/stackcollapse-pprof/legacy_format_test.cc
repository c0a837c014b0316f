// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/legacy_format.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::pprof {
namespace {

std::string words(size_t size, bool big) {
  std::string out;
  for (const unsigned word : {0U, 3U, 0U, 10000U, 0U, 1U})
    for (size_t i = 0; i < size; ++i) {
      const size_t byte = big ? size - 1 - i : i;
      out += static_cast<char>(byte < 4 ? word >> (8 * byte) : 0);
    }
  return out;
}

TEST(LegacyFormat, IsNamed) {
  for (const size_t size : {size_t{4}, size_t{8}})
    for (const bool big : {false, true})
      EXPECT_EQ(find_legacy_format(words(size, big)), "a CPU profile") << size << big;
  EXPECT_EQ(
      find_legacy_format("heap profile:      3:     4096 [     3:     4096] @ heap_v2/524288"),
      "a heap profile");
  EXPECT_EQ(find_legacy_format("goroutine profile: total 3\n"), "a goroutine profile");
  EXPECT_EQ(find_legacy_format("--- contentionz 1 ---\n"), "a contention profile");
  for (const std::string& other :
       {std::string(), std::string(40, '\0'), std::string("\x0a\x04\x08\x01\x10\x02"),
        words(8, false).substr(0, 39), std::string("main;f 1\n")})
    EXPECT_EQ(find_legacy_format(other), "") << other;
}

}  // namespace
}  // namespace aiflame::pprof
