// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/marked_stack.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

// "shared:frame,frame": the frames that describe() gives.
std::string marked(StackMarker& marker, std::string_view stack) {
  EXPECT_TRUE(marker.mark(stack));
  std::string_view text;
  std::vector<Mark> marks;
  marker.describe(text, marks);
  std::string out = std::to_string(marker.shared()) + ":";
  size_t begin = 0;
  for (const Mark& mark : marks) {
    out += std::string(text.substr(begin, mark.end - begin)) + ",";
    begin = mark.end + size_t{1};
  }
  return out;
}

TEST(StackMarker, GivesWhatIsNotShared) {
  StackMarker marker;
  EXPECT_EQ(marked(marker, "a;long_name_of_a_function;c"), "0:a,long_name_of_a_function,c,");
  EXPECT_EQ(marked(marker, "a;long_name_of_a_function;d;e"), "2:d,e,");
  EXPECT_EQ(marked(marker, "a;long_name_of_a_function;d;e;;"), "4:");
  EXPECT_EQ(marked(marker, "a;longer"), "1:longer,");
  EXPECT_TRUE(marker.sorted());
}

TEST(StackMarker, OutOfOrderAllFramesAreGiven) {
  StackMarker marker;
  EXPECT_EQ(marked(marker, "b;c"), "0:b,c,");
  EXPECT_EQ(marked(marker, "b;a"), "1:b,a,");
  EXPECT_FALSE(marker.sorted());
  EXPECT_EQ(marked(marker, "c"), "0:c,");
}

TEST(StackMarker, UnorderedStacksAreNeverOutOfOrder) {
  StackMarker marker(false);
  EXPECT_EQ(marked(marker, "b"), "0:b,");
  EXPECT_EQ(marked(marker, "a"), "0:a,");
  EXPECT_TRUE(marker.sorted());
}

TEST(StackMarker, TheEndIsLeftOfABlank) {
  StackMarker marker;
  marked(marker, "a\x01");
  marked(marker, "a");
  marked(marker, "a b");
  marked(marker, "a;b");
  EXPECT_TRUE(marker.sorted());
  marked(marker, "a b");
  EXPECT_FALSE(marker.sorted());
}

TEST(StackMarker, EmptyFramesAndNoFrames) {
  StackMarker marker;
  EXPECT_EQ(marked(marker, ""), "0:");
  EXPECT_EQ(marked(marker, ";a;;b"), "0:,a,,b,");
  EXPECT_EQ(marked(marker, ";;"), "0:");
}

// Hashes made on the way are those made from names alone, whatever the stacks before shared.
TEST(StackMarker, HashesAreOfTheBeginnings) {
  StackMarker marker;
  marked(marker, "x;y");
  for (const char* stack :
       {"a;b;c", "a;b;d", "a", "a;b;c", ";", "ab;c", "a;b_of_more_than_8_bytes"}) {
    EXPECT_TRUE(marker.mark(stack));
    std::string_view text;
    std::vector<Mark> marks;
    marker.describe(text, marks);
    uint64_t hash = StackMarker::root_hash();
    size_t begin = 0;
    for (const Mark& mark : marks) {
      const uint64_t name = StackMarker::name_hash(text.substr(begin, mark.end - begin));
      hash = StackMarker::extended_hash(hash, name);
      EXPECT_EQ(mark.hash, hash) << stack;
      EXPECT_EQ(mark.name_hash, static_cast<uint32_t>(name)) << stack;
      begin = mark.end + size_t{1};
    }
  }
}

}  // namespace
}  // namespace aiflame
