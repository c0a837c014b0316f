// SPDX-License-Identifier: MIT
#include "libcommon/text/byte_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace aiflame {
namespace {

TEST(ByteScan, EachPlaceOfAByte) {
  std::mt19937 random(3);
  for (size_t size = 0; size < 300; ++size) {
    // allocated at exactly this size, so that a sanitizer detects reads past the end
    std::vector<char> bytes(size);
    for (char& c : bytes) c = ";:\0\xbb"[random() % 4];
    const std::string_view text(bytes.data(), size);
    for (const size_t begin : {size_t{0}, size / 3, size - size / 5, size, size + 1}) {
      std::vector<size_t> expected, found;
      for (size_t i = begin; i < size; ++i)
        if (text[i] == ';') expected.push_back(i);
      each_place(';', text, begin, [&](size_t place) { found.push_back(place); });
      EXPECT_EQ(found, expected) << size << " from " << begin;
    }
  }
}

TEST(ByteScan, CommonPrefix) {
  for (size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'a');
    for (size_t same = 0; same < size; ++same) {
      std::string other = text;
      other[same] = 'b';
      EXPECT_EQ(common_prefix(text, other), same);
      EXPECT_EQ(common_prefix(text, text.substr(0, same)), same);
    }
    EXPECT_EQ(common_prefix(text, text), size);
  }
}

}  // namespace
}  // namespace aiflame
