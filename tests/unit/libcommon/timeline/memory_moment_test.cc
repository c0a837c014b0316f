// SPDX-License-Identifier: MIT
#include "libcommon/timeline/memory_moment.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

using Kind = MemoryMoment::Kind;

TEST(MemoryMoment, IsParsed) {
  EXPECT_EQ(parse_memory_moment("peak", false).kind, Kind::peak);
  EXPECT_EQ(parse_memory_moment("end", false).kind, Kind::end);
  const MemoryMoment time = parse_memory_moment("2.5", false);
  EXPECT_EQ(time.kind, Kind::time);
  EXPECT_EQ(time.time, 2500000000u);
  EXPECT_EQ(parse_memory_moment("oom", true).kind, Kind::oom);
  EXPECT_EQ(parse_memory_moment("event:812", true).event, 812u);
}

TEST(MemoryMoment, OnlyLogsHaveEntries) {
  for (const char* text : {"oom", "event:812", "-1", "", "Peak"})
    EXPECT_THROW(parse_memory_moment(text, false), UsageError) << text;
  for (const char* text : {"event:", "event:x", "1s"})
    EXPECT_THROW(parse_memory_moment(text, true), UsageError) << text;
}

TEST(MemoryMoment, InWords) {
  EXPECT_EQ(moment_text({}), "peak");
  EXPECT_EQ(moment_text({Kind::end, 0, 0}), "at the end");
  EXPECT_EQ(moment_text({Kind::event, 812, 0}), "after entry 812:");
  EXPECT_EQ(moment_text({Kind::time, 0, 2500000000}), "after 2.500 s:");
  EXPECT_EQ(memory_text("peak", {3 << 20, 1 << 20, 2, "4.000 MiB reserved"}),
            "peak 3.000 MiB of 4.000 MiB reserved, 2 stacks; 33 % was allocated before recording "
            "began");
  EXPECT_EQ(memory_text("peak", {0, 0, 1, ""}), "peak 0 bytes, 1 stack");
}

}  // namespace
}  // namespace aiflame
