// SPDX-License-Identifier: MIT
#include "libcommon/base/choices.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr std::string_view kKnown[] = {"range", "operator", "runtime"};

std::string error_of(std::string_view list) {
  try {
    parse_choices("frames", list, kKnown);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Choices, PlacesInTheOrderOfTheList) {
  EXPECT_EQ(parse_choices("frames", "runtime,range", kKnown), (std::vector<size_t>{2, 0}));
  EXPECT_EQ(parse_choices("frames", "operator", kKnown), std::vector<size_t>{1});
}

TEST(Choices, OtherWordsAreRefused) {
  EXPECT_EQ(error_of("range,call"),
            "option '--frames': 'call' is none of range, operator, runtime");
  EXPECT_EQ(error_of(""), "option '--frames': '' is none of range, operator, runtime");
  EXPECT_EQ(error_of("range,"), "option '--frames': '' is none of range, operator, runtime");
  EXPECT_EQ(error_of("range,range"), "option '--frames': 'range' is there twice");
}

}  // namespace
}  // namespace aiflame
