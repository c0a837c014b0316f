// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/rocpd_file.h"

#include <gtest/gtest.h>

namespace aiflame::rocprof {
namespace {

TEST(RocpdFile, MessagesOfMarkers) {
  EXPECT_EQ(message_of(R"({"message": "forward"})"), "forward");
  EXPECT_EQ(message_of(R"({"a":1,"message":"say \"hi\"\n"})"), "say \"hi\"\n");
  for (const char* none : {"{}", "", "{\"message\"", "{\"message\":", "{\"message\": 3}"})
    EXPECT_EQ(message_of(none), "");
  EXPECT_EQ(message_of(R"({"message":"cut)"), "cut");
}

}  // namespace
}  // namespace aiflame::rocprof
