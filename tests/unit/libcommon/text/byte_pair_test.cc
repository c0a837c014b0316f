// SPDX-License-Identifier: MIT
#include "libcommon/text/byte_pair.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

TEST(BytePair, IsFoundAnywhereButNotPastTheEnd) {
  for (size_t size = 0; size < 200; ++size) {
    const std::string plain(size, 'x');
    EXPECT_EQ(find_pair(plain, '\n', '#'), std::string::npos);
    for (size_t at = 0; at + 1 < size; ++at) {
      std::string text = plain;
      text[at] = '\n';
      EXPECT_EQ(find_pair(text, '\n', '#'), std::string::npos);
      text[at + 1] = '#';
      EXPECT_EQ(find_pair(text, '\n', '#'), at) << size;
      // half of the pair lies outside
      EXPECT_EQ(find_pair(std::string_view(text).substr(0, at + 1), '\n', '#'), std::string::npos);
    }
  }
}

TEST(BytePair, TheFirstOfSeveralIsFound) {
  std::string text(300, 'x');
  for (size_t at = 298; at > 0; at -= 2) {
    text[at] = text[at + 1] = '\n';
    EXPECT_EQ(find_pair(text, '\n', '\n'), at);
  }
}

}  // namespace
}  // namespace aiflame
