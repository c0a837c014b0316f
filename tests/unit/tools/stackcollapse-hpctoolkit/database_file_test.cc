// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/database_file.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::hpctoolkit {
namespace {

std::string bytes(std::string_view rest, char major = 4) {
  std::string out = "HPCTOOLKITmeta" + std::string(1, major) + std::string(1, 0);
  out.resize(0x18);
  out += std::string("\x28\0\0\0\0\0\0\0", 8);
  out.resize(0x28);
  return out + std::string(rest);
}

TEST(DatabaseFile, Header) {
  EXPECT_EQ(DatabaseFile("x", bytes(""), "meta").section(0), 0x28U);
  EXPECT_THROW(DatabaseFile("x", bytes(""), "prof"), Error);
  EXPECT_THROW(DatabaseFile("x", bytes("", 5), "meta"), Error);
  EXPECT_THROW(DatabaseFile("x", "HPCTOOLKITmeta", "meta"), Error);
}

TEST(DatabaseFile, OffsetsOutsideAreErrors) {
  const std::string all = bytes(std::string("ab\0c", 4));
  const DatabaseFile file("x", all, "meta");
  EXPECT_EQ(file.u16(0x28), 'a' | 'b' << 8);
  EXPECT_EQ(file.text(0x28), "ab");
  EXPECT_EQ(file.text(0), "");
  EXPECT_THROW(file.text(0x2b), Error);  // no zero byte
  EXPECT_THROW(file.text(0x2c), Error);
  EXPECT_THROW(file.u32(0x29), Error);
  EXPECT_THROW(file.u64(UINT64_MAX), Error);
  EXPECT_NO_THROW(file.need(0x28, 2, 2));
  EXPECT_THROW(file.need(0x28, UINT64_MAX / 2, 4), Error);
  EXPECT_NO_THROW(file.need(0x2c, 0, 8));
}

TEST(DatabaseFile, LongTextsThatOverlapAreAnError) {
  const std::string all = bytes(std::string(DatabaseFile::kLongestText, 'x') + '\0');
  const DatabaseFile file("x", all, "meta");
  const auto read_all = [&] {
    for (uint64_t at = 0x28; at < all.size(); ++at) file.text(at);
  };
  EXPECT_THROW(read_all(), Error);
  // the same text again is none
  EXPECT_NO_THROW(file.text(0x28));
}

}  // namespace
}  // namespace aiflame::hpctoolkit
