// SPDX-License-Identifier: MIT
#include "libcommon/io/legacy_pprof.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

std::string words(size_t size, bool big, unsigned version = 0) {
  std::string out;
  for (const unsigned word : {0U, 3U, version, 10000U, 0U, 1U})
    for (size_t i = 0; i < size; ++i) {
      const size_t byte = big ? size - 1 - i : i;
      out += static_cast<char>(byte < 4 ? word >> (8 * byte) : 0);
    }
  return out;
}

TEST(LegacyPprof, IsKnown) {
  for (const size_t size : {size_t{4}, size_t{8}})
    for (const bool big : {false, true})
      EXPECT_EQ(find_legacy_pprof(words(size, big)), LegacyPprof::pprof) << size << big;
  for (const std::string& text :
       {words(4, true, 1), std::string("heap profile:  3: 4096 [ 3: 4096] @ heap_v2/524288"),
        std::string("goroutine profile: total 3\n"), std::string("--- contentionz 1 ---\n")})
    EXPECT_EQ(find_legacy_pprof(text), LegacyPprof::pprof) << text;
  EXPECT_EQ(find_legacy_pprof("heap_v2/524288\n  t*: 3: 4096 [0: 0]\n"), LegacyPprof::jemalloc);
  for (const std::string& other :
       {std::string(), std::string(40, '\0'), std::string("\x0a\x04\x08\x01\x10\x02"),
        words(8, false).substr(0, 39), words(8, false, 2), std::string("main;f 1\n")})
    EXPECT_EQ(find_legacy_pprof(other), LegacyPprof::none) << other;
}

}  // namespace
}  // namespace aiflame
