// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/base64_writer.h"

#include <gtest/gtest.h>

namespace aiflame::exporter {
namespace {

std::string base64(std::initializer_list<std::string_view> pieces) {
  std::string out;
  Base64Writer writer([&](std::string_view text) { out += text; });
  for (const std::string_view piece : pieces) writer.write(piece);
  writer.finish();
  return out;
}

// RFC 4648, section 10
TEST(Base64Writer, WritesTheExamplesOfTheStandard) {
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({"f"}), "Zg==");
  EXPECT_EQ(base64({"fo"}), "Zm8=");
  EXPECT_EQ(base64({"foo"}), "Zm9v");
  EXPECT_EQ(base64({"foob"}), "Zm9vYg==");
  EXPECT_EQ(base64({"\xff\xfe\xfb"}), "//77");
}

TEST(Base64Writer, DoesNotCareHowTheBytesAreCut) {
  EXPECT_EQ(base64({"f", "", "o", "oba", "r"}), "Zm9vYmFy");
  EXPECT_EQ(base64({"fo", "ob"}), "Zm9vYg==");
  EXPECT_EQ(base64({"foob", "a"}), "Zm9vYmE=");
}

}  // namespace
}  // namespace aiflame::exporter
