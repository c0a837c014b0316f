// SPDX-License-Identifier: MIT
#include "libcommon/memory/kept_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace aiflame {
namespace {

// More than 1024 times all compressed input of these tests.
constexpr uint64_t kTooMuch = uint64_t{1} << 50;

TEST(KeptNames, WhatATableKeepsIsGivenBackWithIt) {
  {
    KeptNames table;
    EXPECT_TRUE(KeptNames::allow(1));
    table.keep(kTooMuch);
    EXPECT_FALSE(KeptNames::allow(1));
  }
  EXPECT_TRUE(KeptNames::allow(1));
}

TEST(KeptNames, ATableThatMovesIsCountedOnce) {
  KeptNames first;
  first.keep(kTooMuch);
  {
    KeptNames second(std::move(first));
    KeptNames third;
    third = std::move(second);
    EXPECT_FALSE(KeptNames::allow(1));
  }
  EXPECT_TRUE(KeptNames::allow(1));
}

}  // namespace
}  // namespace aiflame
