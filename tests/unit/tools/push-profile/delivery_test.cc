// SPDX-License-Identifier: MIT
#include "tools/push-profile/delivery.h"

#include <gtest/gtest.h>

namespace aiflame::push {
namespace {

Outcome outcome(long status, const std::string& text = "", const char* door = "parca") {
  Answer answer;
  answer.status = status;
  answer.text = text;
  return outcome_of(answer, {door, "/p", "", ""});
}

TEST(Delivery, AnswersMeanThisProfileOrAllOrAnotherTime) {
  EXPECT_EQ(outcome(200), Outcome::delivered);
  EXPECT_EQ(outcome(204), Outcome::delivered);
  for (const long status : {301, 401, 403, 404, 405, 407})
    EXPECT_EQ(outcome(status), Outcome::misdirected) << status;
  for (const long status : {400, 409, 413, 415, 422})
    EXPECT_EQ(outcome(status), Outcome::refused) << status;
  for (const long status : {0, 408, 429, 500, 502, 503})
    EXPECT_EQ(outcome(status), Outcome::unreachable) << status;
}

TEST(Delivery, APartIsNotAllWhereOtlpSaysIt) {
  const std::string partial = "\x0a\x02\x08\x03", none = std::string("\x0a\x02\x08\x00", 4);
  EXPECT_EQ(outcome(200, partial, "otlp"), Outcome::refused);
  EXPECT_EQ(outcome(200, partial, "parca"), Outcome::delivered);
  for (const std::string& text : {none, std::string(), std::string("{}"), std::string("\x0a\x7f")})
    EXPECT_EQ(outcome(200, text, "otlp"), Outcome::delivered);
}

TEST(Delivery, WaitsLongerEachTimeAndNoLongerThanAMinute) {
  Answer answer;
  EXPECT_EQ(wait_ms(answer, 1, 0), 500u);
  EXPECT_EQ(wait_ms(answer, 2, 0), 1000u);
  EXPECT_EQ(wait_ms(answer, 4, 0), 4000u);
  EXPECT_EQ(wait_ms(answer, 1, 125), 625u);
  EXPECT_LE(wait_ms(answer, 1, UINT32_MAX), 625u);
  EXPECT_EQ(wait_ms(answer, 100, UINT32_MAX), 60000u);
  answer.retry_after_s = 7;
  EXPECT_EQ(wait_ms(answer, 1, 3), 7000u);
  answer.retry_after_s = UINT64_MAX;
  EXPECT_EQ(wait_ms(answer, 1, 3), 60000u);
}

}  // namespace
}  // namespace aiflame::push
