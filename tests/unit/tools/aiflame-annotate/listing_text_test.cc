// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tools/aiflame-annotate/percent.h"

namespace aiflame::annotate {
namespace {

TEST(Percent, IsRoundedHalfUpAndNeverOverflows) {
  EXPECT_EQ(percent(0, 0), "0.00%");
  EXPECT_EQ(percent(1, 3), "33.33%");
  EXPECT_EQ(percent(2, 3), "66.67%");
  EXPECT_EQ(percent(1, 20000), "0.01%");
  EXPECT_EQ(percent(1, 20001), "0.00%");
  EXPECT_EQ(percent(UINT64_MAX, UINT64_MAX), "100.00%");
  EXPECT_EQ(percent(UINT64_MAX / 2, UINT64_MAX), "50.00%");
}

TEST(Percent, Limit) {
  EXPECT_TRUE(is_at_least(5, 100, 5));
  EXPECT_FALSE(is_at_least(4, 100, 5));
  EXPECT_TRUE(is_at_least(0, 0, 0));
}

// Instructions at 0x0, 0x10, …; `sampled` have a sample.
Annotation annotation(size_t count, const std::vector<size_t>& sampled) {
  Annotation out;
  out.kernel = "scale";
  out.object = "/k.so";
  out.whole = true;
  out.lines.push_back({"/src/k.cl", 7, sampled.size()});
  for (size_t i = 0; i < count; ++i) {
    AnnotatedInstruction& each = out.code.emplace_back();
    each.offset = i * 16;
    each.size = 16;
    each.mnemonic = "nop";
  }
  for (const size_t i : sampled) out.code[i].samples = 1;
  out.samples = sampled.size();
  return out;
}

TEST(FoldedAway, RunsOfMoreThanTwentyWithoutSamplesAndArrows) {
  Annotation it = annotation(63, {20, 42});
  it.code[50].consumers = {42 * 16};
  const std::vector<bool> folded = folded_away(it.code);
  for (size_t i = 0; i < folded.size(); ++i) EXPECT_EQ(folded[i], i > 20 && i < 42) << i;
  EXPECT_TRUE(folded_away({}).empty());
}

struct Written {
  explicit Written(const Annotation& it) : text(writer.function(it)) {}
  Settings settings;
  EventTotal total{"gpu-stall", "stalls", 200};
  SourceTexts sources{{}};
  ListingText writer{settings, total, sources};
  std::string text;
};

TEST(ListingText, Columns) {
  Annotation it = annotation(3, {1});
  it.samples = it.code[1].samples = it.lines[0].samples = 100;
  it.code[1].guard = "@P0";
  it.code[1].operands = "R1";
  it.code[1].reasons = {{"sbid", 99}, {"pipe", 1}};
  it.code[1].producers = {0};
  it.code[0].consumers = {16};
  EXPECT_EQ(
      Written(it).text,
      "\n# kernel scale  object /k.so  event gpu-stall  unit stalls  samples 100  share 50.00%\n"
      "# Share    Samples  Offset    Instruction  Reasons          Edges\n"
      "100.00%        100  k.cl:7\n"
      "  0.00%          0  0x0       nop                           ->0x10\n"
      "100.00%        100  0x10      @P0 nop R1   sbid 99, pipe 1  <-0x0\n"
      "  0.00%          0  0x20      nop\n");
}

TEST(ListingText, ManyArrowsAreCounted) {
  Annotation it = annotation(12, {11});
  for (uint64_t i = 0; i < 11; ++i) it.code[11].producers.push_back(i * 16);
  EXPECT_NE(Written(it).text.find("<-0x0,0x10,0x20,0x30,0x40,0x50,0x60,0x70,+3\n"),
            std::string::npos);
}

TEST(ListingText, AChainStandsBelowItsInstruction) {
  Annotation it = annotation(3, {2});
  it.lines.push_back({"", 0, 0});
  it.code[0].line = 1;
  it.samples = it.code[2].samples = it.lines[0].samples = 1000;
  it.code[0].mnemonic = "";
  it.code[2].stalls = 800;
  it.code[2].causes = {{0x10, 0.95}, {0x20, 0.05}};
  it.code[2].chain = {0x20, 0x10, 0x0};
  it.code[2].chain_end = ChainEnd::loop;
  const std::string text = Written(it).text;
  EXPECT_NE(
      text.find("100.00%       1000  0x20      nop\n"
                " 80.00%        800  chain  0x20 nop <- 0x10 nop 95% k.cl:7 <- 0x0 - <- loop\n"),
      std::string::npos)
      << text;
  it.code[2].chain.assign(11, 0x20);
  it.code[2].chain_end = ChainEnd::root;
  EXPECT_NE(Written(it).text.find("95% k.cl:7 <- 0x20 nop <- 0x20 nop <- 0x20 nop <- 0x20 nop <- "
                                  "0x20 nop <- 0x20 nop <- +3\n"),
            std::string::npos);
  it.code[2].stalls = 9;  // less than one percent
  EXPECT_EQ(Written(it).text.find("chain"), std::string::npos);
  it.code[2].stalls = 10;
  EXPECT_NE(Written(it).text.find("chain"), std::string::npos);
  it.code[2].chain = {0x20};
  EXPECT_EQ(Written(it).text.find("chain"), std::string::npos);
}

TEST(ListingText, NothingForeignReachesATerminal) {
  Annotation it = annotation(1, {0});
  it.kernel = it.function = it.object = it.lines[0].file = "a\033[2J\nb";
  it.code[0].guard = it.code[0].mnemonic = it.code[0].operands = "c\033[2J\nd";
  it.code[0].reasons = {{"e\033\n", 1}};
  const Written written(it);
  EXPECT_EQ(written.text.find('\033'), std::string::npos);
  EXPECT_EQ(std::count(written.text.begin(), written.text.end(), '\n'), 5);
}

}  // namespace
}  // namespace aiflame::annotate
