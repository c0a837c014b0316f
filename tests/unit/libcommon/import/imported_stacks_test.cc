// SPDX-License-Identifier: MIT
#include "libcommon/import/imported_stacks.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

std::string written(ImportedStacks& stacks) {
  const MemoryFile file("");
  Output out(file.path());
  stacks.write(out);
  out.close();
  std::ifstream in(file.path());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(ImportedStacks, EqualStacksAreOneLine) {
  ImportedStacks stacks;
  stacks.quantity = {.event = "gpu-time", .unit = "ns"};
  const uint32_t launch = stacks.child(stacks.root("my app"), "f");
  for (const uint64_t weight : {uint64_t{3}, uint64_t{4}}) {
    stacks.read(weight);
    stacks.add(stacks.child(stacks.child(launch, "-"), "k_[G]"), weight);
  }
  stacks.read(5);
  stacks.add(launch, 5);
  EXPECT_EQ(written(stacks),
            "# aiflame: event gpu-time, unit ns\nmy_app;f 5\nmy_app;f;-;k_[G] 7\n");
}

TEST(ImportedStacks, SeveralRecordsAtOnce) {
  ImportedStacks stacks;
  stacks.quantity = {.event = "gpu-stall", .unit = "stalls"};
  stacks.read(7, 7);
  stacks.add(stacks.root("a"), 4, 4);
  stacks.lose("of others", 3, 3);
  stacks.part("in the dark", 1);
  EXPECT_EQ(written(stacks), "# aiflame: event gpu-stall, unit stalls\na 4\n");
  EXPECT_NE(stacks.json().find("\"of others\": {\"records\": 3, \"weight\": 3}"),
            std::string::npos);
  EXPECT_EQ(stacks.line(),
            "gpu-stall: 4 stalls of 7 records: 25.00 % in the dark; 3 stalls lost: of others");
}

TEST(ImportedStacks, FramesAreSafe) {
  ImportedStacks stacks;
  stacks.read(1);
  uint32_t stack = stacks.root("# a;b");
  for (const char* text : {"", "x;y", "two\nlines", "\033[2J", "caf\xc3\xa9"})
    stack = stacks.child(stack, text);
  stacks.add(stack, 1);
  EXPECT_EQ(written(stacks), "#_a:b;[unknown];x:y;two lines;\\033[2J;caf\xc3\xa9 1\n");
}

TEST(ImportedStacks, AStackStandsOnAnother) {
  ImportedStacks stacks;
  const uint32_t top = stacks.child(stacks.root("a"), "b");
  const uint32_t whole = stacks.append(stacks.root("main"), top);
  EXPECT_EQ(stacks.text(stacks.frame_of(whole)), "b");
  EXPECT_EQ(stacks.text(stacks.frame_of(stacks.below(whole))), "a");
  EXPECT_EQ(whole, stacks.child(stacks.child(stacks.root("main"), "a"), "b"));
  EXPECT_EQ(stacks.append(whole, ImportedStacks::kEmpty), whole);
}

TEST(ImportedStacks, WhatIsReadIsWrittenOrLost) {
  ImportedStacks stacks;
  stacks.quantity = {.event = "gpu-time", .unit = "ns"};
  stacks.read(10);
  stacks.add(stacks.root("a"), 7);
  EXPECT_THROW(written(stacks), Error);
  stacks.lose("kernels without an end", 3);
  stacks.part("without a launch", 1);
  EXPECT_EQ(written(stacks), "# aiflame: event gpu-time, unit ns\na 7\n");
  EXPECT_EQ(
      stacks.line(),
      "gpu-time: 7 ns of 1 records: 14.29 % without a launch; 3 ns lost: kernels without an end");
  EXPECT_EQ(stacks.json(),
            "{\n  \"event\": \"gpu-time\",\n  \"unit\": \"ns\",\n"
            "  \"read\": {\"records\": 1, \"weight\": 10},\n"
            "  \"drawn\": {\"records\": 1, \"weight\": 7},\n"
            "  \"parts\": {\"without a launch\": {\"records\": 1, \"weight\": 1}},\n"
            "  \"lost\": {\"kernels without an end\": {\"records\": 1, \"weight\": 3}}\n}\n");
}

TEST(ImportedStacks, SumsDoNotOverflow) {
  ImportedStacks stacks;
  stacks.add(stacks.root("a"), UINT64_MAX);
  EXPECT_THROW(stacks.add(stacks.root("b"), 1), Error);
}

}  // namespace
}  // namespace aiflame
