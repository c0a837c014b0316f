// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/frame_namer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/symbols/elf.h"

// Functions of this program, looked up in its file.
extern "C" __attribute__((noinline, visibility("default"))) int aiflame_frame_namer_test_one(
    int n) {
  return n * 3;
}

extern "C" __attribute__((noinline, visibility("default"))) int aiflame_frame_namer_test_two(
    int n) {
  return n ^ 5;
}

namespace aiflame::collapse {
namespace {

class FrameNamerTest : public testing::Test {
 protected:
  void SetUp() override {
    volatile int n = 0;
    ASSERT_EQ(aiflame_frame_namer_test_one(n) + aiflame_frame_namer_test_two(n), 5);
    const ElfFile elf(file_.name);
    for (const ElfFunction& function : elf.functions()) {
      const uint64_t offset = elf.offset_of_vaddr(function.start).value_or(0);
      if (function.name == "aiflame_frame_namer_test_one") one_ = offset;
      if (function.name == "aiflame_frame_namer_test_two") two_ = offset;
    }
    ASSERT_NE(one_, 0u);
    ASSERT_NE(two_, 0u);
  }
  std::vector<std::string> named(FrameNamer& namer) {
    namer.wait();
    std::vector<std::string> out;
    for (const uint32_t text : namer.names()) out.push_back(namer.texts()[text]);
    return out;
  }

  const PerfObject file_ = {PerfObject::Kind::file, "/proc/self/exe", "", nullptr};
  const PerfObject missing_ = {PerfObject::Kind::file, "/nonexistent/object", "", nullptr};
  uint64_t one_ = 0, two_ = 0;
  PerfMachine machine_;
  PerfDataFrames frames_{machine_, {}};
  FrameRules rules_;
};

TEST_F(FrameNamerTest, NamesInTheOrderOfRequests) {
  FrameNamer namer(frames_, rules_);
  EXPECT_EQ(namer.ask(0, file_, two_, false, false), 0u);
  EXPECT_EQ(namer.ask(0, file_, one_ + 1, false, false), 1u);
  EXPECT_EQ(namer.ask(1, missing_, 5, false, false), 2u);
  EXPECT_EQ(namer.ask(0, file_, two_ + 1, false, false), 3u);
  const std::vector<std::string> expected = {"aiflame_frame_namer_test_two",
                                             "aiflame_frame_namer_test_one", "[object]",
                                             "aiflame_frame_namer_test_two"};
  EXPECT_EQ(named(namer), expected);
  // a function has one text
  EXPECT_EQ(namer.names()[0], namer.names()[3]);
  EXPECT_EQ(namer.texts().size(), 3u);
}

TEST_F(FrameNamerTest, GoesOnAfterWaiting) {
  FrameNamer namer(frames_, rules_);
  namer.ask(0, file_, one_, false, false);
  EXPECT_EQ(named(namer), std::vector<std::string>{"aiflame_frame_namer_test_one"});
  namer.forget();
  EXPECT_TRUE(named(namer).empty());
  EXPECT_EQ(namer.ask(0, file_, two_, false, false), 1u);
  EXPECT_EQ(named(namer), std::vector<std::string>{"aiflame_frame_namer_test_two"});
  namer.forget();
  namer.begin_again();
  EXPECT_EQ(namer.ask(0, file_, one_, false, false), 0u);
  EXPECT_EQ(namer.ask(0, file_, two_, false, false), 1u);
  EXPECT_EQ(named(namer).size(), 2u);
  EXPECT_EQ(namer.texts().size(), 2u);
}

// More requests than are handed over at a time.
TEST_F(FrameNamerTest, ManyThousands) {
  FrameNamer namer(frames_, rules_);
  constexpr uint32_t kMany = 10000;
  for (uint32_t i = 0; i < kMany; ++i)
    ASSERT_EQ(namer.ask(0, file_, i % 3 == 0 ? one_ : two_, i % 5 == 0, false), i);
  const std::vector<std::string> names = named(namer);
  ASSERT_EQ(names.size(), kMany);
  for (uint32_t i = 0; i < kMany; ++i)
    ASSERT_EQ(names[i],
              i % 3 == 0 ? "aiflame_frame_namer_test_one" : "aiflame_frame_namer_test_two");
}

// Several objects at a time. With inlined functions each address has a text of its own.
TEST_F(FrameNamerTest, ByDebugInformation) {
  SourceRules sources;
  sources.inlined = true;
  const PerfObject copy = {PerfObject::Kind::file, "/proc/thread-self/exe", "", nullptr};
  std::vector<std::string> first;
  std::deque<std::string> texts;
  for (int round = 0; round < 5; ++round) {
    PerfDataFrames frames(machine_, sources);
    FrameNamer namer(frames, rules_);
    for (uint32_t i = 0; i < 200; ++i) {
      namer.ask(2, copy, one_ + i % 7, false, i % 2 == 0);
      namer.ask(0, file_, two_ + i % 5, false, false);
      namer.ask(1, missing_, i, false, true);
    }
    const std::vector<std::string> names = named(namer);
    ASSERT_EQ(names.size(), 600u);
    EXPECT_EQ(names[3 * 101 + 1], "aiflame_frame_namer_test_two");
    EXPECT_EQ(names[2], "[object]");
    if (first.empty()) first = names, texts = namer.texts();
    // independent of timing
    EXPECT_EQ(names, first);
    EXPECT_EQ(namer.texts(), texts);
  }
}

// A caller that does not wait gets no names, and is not delayed.
TEST_F(FrameNamerTest, EndsWithRequestsOpen) {
  FrameNamer namer(frames_, rules_);
  for (uint32_t i = 0; i < 1000; ++i) namer.ask(0, file_, one_, false, false);
}

}  // namespace
}  // namespace aiflame::collapse
