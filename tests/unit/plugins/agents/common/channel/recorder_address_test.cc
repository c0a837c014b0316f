// SPDX-License-Identifier: MIT
#include "plugins/agents/common/channel/recorder_address.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace aiflame::agent {
namespace {

const std::string kSecret = "000102030405060708090a0b0c0d0eff";

TEST(RecorderAddress, ReadsWhatTheHeaderSays) {
  RecorderAddress address{};
  ASSERT_TRUE(
      parse_recorder_address((kSecret + ":1000:250:81234:/run/user/1000/a:b").c_str(), address));
  EXPECT_EQ(address.secret[0], 0);
  EXPECT_EQ(address.secret[14], 14);
  EXPECT_EQ(address.secret[15], 255);
  EXPECT_EQ(address.uid, 1000u);
  EXPECT_EQ(address.descriptor, 250);
  EXPECT_EQ(address.inode, 81234u);
  EXPECT_STREQ(address.directory, "/run/user/1000/a:b");
  ASSERT_TRUE(
      parse_recorder_address((kSecret + ":4294967295:0:18446744073709551615:").c_str(), address));
  EXPECT_EQ(address.uid, UINT32_MAX);
  EXPECT_EQ(address.inode, UINT64_MAX);
  EXPECT_STREQ(address.directory, "");
}

TEST(RecorderAddress, RefusesEverythingElse) {
  RecorderAddress address{};
  for (const std::string& text :
       {std::string(), std::string("@gpustall-record-1"), kSecret, kSecret + ":",
        kSecret + ":1:2:3", kSecret + ":1:2::/tmp", kSecret + ":1:-2:3:/tmp",
        kSecret + ":1:2x:3:/tmp", kSecret + ":4294967296:2:3:/tmp",
        kSecret + ":1:2147483648:3:/tmp", kSecret + ":1:2:18446744073709551616:/tmp",
        "0" + kSecret + ":1:2:3:/tmp", kSecret.substr(1) + ":1:2:3:/tmp",
        "G" + kSecret.substr(1) + ":1:2:3:/tmp",
        kSecret + ":1:2:3:/" + std::string(sizeof address.directory, 'x')})
    EXPECT_FALSE(parse_recorder_address(text.c_str(), address)) << text;
}

TEST(RecorderAddress, AUserOfThisNamespaceIsItself) {
  EXPECT_EQ(uid_seen_here(geteuid()), geteuid());
}

}  // namespace
}  // namespace aiflame::agent
