// SPDX-License-Identifier: MIT
#include "plugins/agents/common/hash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace aiflame::agent {
namespace {

// Tells apart cubins that CUPTI takes for the same.
TEST(HashOfACubin, TellsWhatDiffersInOneBit) {
  std::string content(3704, 'x');
  const uint64_t hash = hash_bytes(content.data(), content.size());
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] ^= 1;
    EXPECT_NE(hash_bytes(content.data(), content.size()), hash) << i;
    content[i] ^= 1;
  }
  EXPECT_EQ(hash_bytes(content.data(), content.size()), hash);
  EXPECT_NE(hash_bytes(content.data(), content.size() - 1), hash);
}

}  // namespace
}  // namespace aiflame::agent
