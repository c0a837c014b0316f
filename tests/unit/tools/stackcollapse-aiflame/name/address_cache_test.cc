// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/address_cache.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(AddressCache, EachAddressOfEachObjectIsKnownApart) {
  AddressCache codes(SIZE_MAX);
  // enough entries to grow several times
  for (uint32_t i = 0; i < 50000; ++i) {
    AddressCache::Entry& code = codes.at(uint64_t{i / 3} * 16, i % 3);
    EXPECT_EQ(code.frame, AddressCache::kNone);
    EXPECT_EQ(code.rule, nullptr);
    code.frame = i;
  }
  for (uint32_t i = 0; i < 50000; ++i) {
    const AddressCache::Entry& code = codes.at(uint64_t{i / 3} * 16, i % 3);
    ASSERT_EQ(code.frame, i);
    EXPECT_EQ(code.offset, uint64_t{i / 3} * 16);
    EXPECT_EQ(code.object, i % 3);
  }
  uint64_t count = 0, sum = 0;
  codes.each([&](AddressCache::Entry& code) {
    ++count;
    sum += code.frame;
  });
  EXPECT_EQ(count, 50000u);
  EXPECT_EQ(sum, uint64_t{50000} * 49999 / 2);
}

TEST(AddressCache, ItForgetsRatherThanGrow) {
  AddressCache codes(1000);
  for (uint64_t i = 0; i < 1000; ++i) codes.at(i, 7).frame = 1;
  EXPECT_EQ(codes.at(0, 7).frame, 1u);
  codes.at(1000, 7).frame = 2;
  uint64_t count = 0;
  codes.each([&](AddressCache::Entry&) { ++count; });
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(codes.at(1000, 7).frame, 2u);
  EXPECT_EQ(codes.at(0, 7).frame, AddressCache::kNone);
}

}  // namespace
}  // namespace aiflame::collapse
