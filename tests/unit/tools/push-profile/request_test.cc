// SPDX-License-Identifier: MIT
#include "tools/push-profile/request.h"

#include <gtest/gtest.h>

namespace aiflame::push {
namespace {

const Request kRequest = {"pyroscope", "/ingest?name=a%7B%7D", "application/x-protobuf", "gzip"};

TEST(Request, IsWhatItWasInAFile) {
  const std::string text = head_text(kRequest, 1234) + "the body\n\n";
  const auto head = parse_head(text);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->request.door, "pyroscope");
  EXPECT_EQ(head->request.path, "/ingest?name=a%7B%7D");
  EXPECT_EQ(head->request.type, "application/x-protobuf");
  EXPECT_EQ(head->request.encoding, "gzip");
  EXPECT_EQ(head->size, 1234u);
  EXPECT_EQ(text.substr(head->length), "the body\n\n");
  const auto plain = parse_head(head_text({"parca", "/p", "application/json", ""}, 0));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->request.encoding, "");
}

TEST(Request, IsNothingWhereTheHeadIsCutOrAnother) {
  const std::string whole = head_text(kRequest, 1234);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse_head(whole.substr(0, length))) << length;
  std::string other = whole;
  other.replace(other.find(" 1\n"), 2, " 2");
  EXPECT_FALSE(parse_head(other));
  EXPECT_FALSE(parse_head(head_text({"parca", "elsewhere", "t", ""}, 1)));
  EXPECT_FALSE(parse_head(head_text({"parca", "/p", "t\r", ""}, 1)));
}

}  // namespace
}  // namespace aiflame::push
