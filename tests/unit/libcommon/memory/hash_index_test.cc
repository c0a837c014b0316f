// SPDX-License-Identifier: MIT
#include "libcommon/memory/hash_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace aiflame {
namespace {

constexpr auto kAny = [](uint32_t) { return true; };

// An owner of an index: adds the hashes that are not yet known.
class Hashes {
 public:
  uint32_t number(uint64_t hash) {
    const auto is = [&](uint32_t other) { return hashes_[other] == hash; };
    const uint32_t known = index_.find(hash, is);
    if (known != HashIndex::kNone) return known;
    hashes_.push_back(hash);
    return index_.add(hash, [&](uint32_t other) { return hashes_[other]; });
  }
  void reserve(size_t count) {
    index_.reserve(count, [&](uint32_t other) { return hashes_[other]; });
  }
  const HashIndex& index() const { return index_; }

 private:
  HashIndex index_;
  std::vector<uint64_t> hashes_;
};

uint64_t spread(uint64_t i) {
  return (i + 1) * 0x9e3779b97f4a7c15;
}

TEST(HashIndex, NumbersInOrderOfFirstAppearance) {
  constexpr uint32_t kMany = 100000;
  Hashes hashes;
  for (int round = 0; round < 2; ++round)
    for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(hashes.number(spread(i)), i);
  EXPECT_EQ(hashes.index().size(), kMany);
  EXPECT_EQ(hashes.index().find(spread(kMany), kAny), HashIndex::kNone);
}

// These hashes differ only in their low bits, which slots do not store: the owner's comparison
// decides.
TEST(HashIndex, TheOwnerDecidesWhereSlotsAreEqual) {
  constexpr uint32_t kMany = 300;
  Hashes hashes;
  for (int round = 0; round < 2; ++round)
    for (uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(hashes.number(0xabcd000000000000 | i), i);
}

TEST(HashIndex, KeepsEqualHashesApart) {
  HashIndex index;
  const auto hash_of = [](uint32_t) { return uint64_t{7}; };
  for (uint32_t i = 0; i < 2000; ++i) EXPECT_EQ(index.add(7, hash_of), i);
  for (uint32_t i = 0; i < 2000; i += 101)
    EXPECT_EQ(index.find(7, [&](uint32_t other) { return other == i; }), i);
  EXPECT_EQ(index.find(7, [](uint32_t) { return false; }), HashIndex::kNone);
}

TEST(HashIndex, ReserveKeepsTheNumbers) {
  Hashes hashes;
  for (uint32_t i = 0; i < 100; ++i) hashes.number(spread(i));
  hashes.reserve(50);
  hashes.reserve(100000);
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(hashes.number(spread(i)), i);
}

TEST(HashIndex, FirstIsTheNumberInTheFirstSlot) {
  Hashes hashes;
  EXPECT_EQ(hashes.index().first(spread(0)), HashIndex::kNone);
  hashes.number(spread(0));
  EXPECT_EQ(hashes.index().first(spread(0)), 0);
}

}  // namespace
}  // namespace aiflame
