// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/collective.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

Event event_of(std::string_view name) {
  Event event;
  event.clear();
  event.name = name;
  return event;
}

TEST(Collective, NamesComeFromArgumentsOrRanges) {
  Event kernel = event_of("ncclDevKernel_Generic");
  EXPECT_EQ(collective_name(kernel), "");
  kernel.text(TextArg::collective) = "allreduce";
  EXPECT_EQ(collective_name(kernel), "allreduce");
  EXPECT_EQ(collective_name(event_of("nccl:all_gather")), "all_gather");
}

TEST(Collective, BytesAreElementsTimesTheirType) {
  Event event = event_of("k");
  EXPECT_EQ(message_bytes(event), Event::kNone);
  event.number(NumberArg::elements_in) = 1000;
  event.text(TextArg::type) = "BFloat16";
  EXPECT_EQ(message_bytes(event), 2000u);
  event.number(NumberArg::elements_out) = 8000;  // of 8 ranks
  EXPECT_EQ(message_bytes(event), 16000u);
  event.text(TextArg::type) = "a type of next year";
  EXPECT_EQ(message_bytes(event), Event::kNone);
}

TEST(Collective, BytesOfShapes) {
  Event event = event_of("nccl:broadcast");
  event.text(TextArg::types) = "long int";
  event.text(TextArg::shapes) = "[[4,5],[9]]";
  EXPECT_EQ(message_bytes(event), 160u);
  event.text(TextArg::shapes) = "[[4294967296,4294967296,4294967296]]";
  EXPECT_EQ(message_bytes(event), Event::kNone);
  event.text(TextArg::shapes) = "[]";
  EXPECT_EQ(message_bytes(event), Event::kNone);
}

TEST(Collective, ClassesOfSizes) {
  EXPECT_EQ(collective_text("a", Event::kNone), "a");
  EXPECT_EQ(collective_text("a", 65535), "a under 64 KiB");
  EXPECT_EQ(collective_text("a", 65536), "a 64 KiB to 1 MiB");
  EXPECT_EQ(collective_text("a", 1 << 20), "a 1 to 16 MiB");
  EXPECT_EQ(collective_text("a", 16 << 20), "a 16 to 256 MiB");
  EXPECT_EQ(collective_text("a", 256 << 20), "a 256 MiB and more");
}

}  // namespace
}  // namespace aiflame::trace
