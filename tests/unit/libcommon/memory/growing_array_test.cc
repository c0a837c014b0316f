// SPDX-License-Identifier: MIT
#include "libcommon/memory/growing_array.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

// The array starts in memory of malloc(3), moves to mapped pages and then to more of them.
TEST(GrowingArray, KeepsItsContentsWhileItGrows) {
  GrowingArray<uint32_t> array;
  constexpr uint32_t kCount = 5000000;
  for (uint32_t i = 0; i < kCount; ++i) array.push_back(i * 7);
  ASSERT_EQ(array.size(), kCount);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < kCount; ++i) wrong += array[i] != i * 7 ? 1 : 0;
  EXPECT_EQ(wrong, 0U);
  GrowingArray<uint32_t> other = std::move(array);
  EXPECT_TRUE(array.empty());  // NOLINT(bugprone-use-after-move): it is defined
  EXPECT_EQ(other.back(), (kCount - 1) * 7);
  other.assign(3, 9);
  EXPECT_EQ(other.size(), 3U);
  EXPECT_EQ(other[2], 9U);
}

TEST(ResizeMemory, GrowsAndShrinksAndGoes) {
  auto* bytes = static_cast<char*>(resize_memory(nullptr, 0, 100));
  for (int i = 0; i < 100; ++i) bytes[i] = static_cast<char>(i);
  size_t size = 100;
  for (const size_t next : {size_t{1} << 20, size_t{9} << 20, (size_t{9} << 20) + 1,
                            size_t{64} << 20, size_t{5} << 20, size_t{100}}) {
    bytes = static_cast<char*>(resize_memory(bytes, size, next));
    size = next;
    bytes[size - 1] = 99;
    for (int i = 0; i < 100; ++i) ASSERT_EQ(bytes[i], i) << next;
  }
  EXPECT_EQ(resize_memory(bytes, size, 0), nullptr);
}

}  // namespace
}  // namespace aiflame
