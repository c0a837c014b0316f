// SPDX-License-Identifier: MIT
#include "libcommon/folded/launch_fact.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

const LaunchFact kFact = {"k<a, b>(int)_[G]",
                          {{1024, 16, 1}, {16, 16, 1}, 512},
                          0,
                          {40, 2048, 64, 8},
                          75,
                          "registers",
                          12};

// Of a line as readers get it, without its end.
std::optional<LaunchFact> parsed(std::string line) {
  line.pop_back();
  return parse_launch_fact(line);
}

TEST(LaunchFact, LineAndBack) {
  const std::string line = launch_fact_line(kFact);
  EXPECT_EQ(line,
            "# aiflame-launch: launches 12, items 1024x16x1, group 16x16x1, local 512, "
            "registers 40, static-local 2048, scratch 64, spills 8, occupancy 75, "
            "limit registers, kernel k<a, b>(int)_[G]\n");
  EXPECT_EQ(parsed(line), kFact);
  LaunchFact others{"k_[G]", {}, 37, {}, {}, "", 400};
  EXPECT_EQ(launch_fact_line(others), "# aiflame-launch: launches 400, sizes 37, kernel k_[G]\n");
  EXPECT_EQ(parsed(launch_fact_line(others)), others);
  EXPECT_EQ(parse_launch_fact("# aiflame-launch: launches 2, later 7 x, kernel k_[G]")->launches,
            2u);
}

TEST(LaunchFact, MalformedLines) {
  for (const char* line :
       {"# aiflame-launch: ", "# aiflame-launch: launches 2", "# aiflame-launch: kernel k",
        "# aiflame-launch: kernel a;k_[G]", "# aiflame-launch: launches x, kernel k_[G]",
        "# aiflame-launch: items 1x1, kernel k_[G]", "# aiflame-launch: registers -1, kernel k_[G]",
        "# aiflame-launch: occupancy 101, kernel k_[G]", "# aiflame: unit samples"})
    EXPECT_FALSE(parse_launch_fact(line)) << line;
  EXPECT_FALSE(parse_launch_fact("# aiflame-launch: kernel " + std::string(70000, 'k') + "_[G]"));
}

TEST(LaunchFact, TextIsMadePrintable) {
  EXPECT_EQ(parse_launch_fact("# aiflame-launch: launches 1, kernel k\033[2J_[G]")->kernel,
            "k\\033[2J_[G]");
  EXPECT_FALSE(parse_launch_fact("# aiflame-launch: limit \033, kernel k_[G]"));
}

TEST(LaunchFact, Words) {
  EXPECT_EQ(
      launch_fact_texts(kFact),
      (std::vector<std::string>{"12 launches of 1024x16 work-items, in groups of 16x16",
                                "40 registers, 2,560 B of local memory, 8 B spilled, 64 B scratch",
                                "occupancy 75% at most (estimate), limited by registers"}));
  EXPECT_EQ(launch_fact_texts({"k_[G]", {}, 0, {}, {}, "", 1}),
            std::vector<std::string>{"1 launch of unknown size"});
  EXPECT_EQ(
      launch_fact_texts(kFact, LaunchWords::cuda),
      (std::vector<std::string>{"12 launches of 64 blocks of 16x16 threads",
                                "40 registers, 2,560 B of shared memory, 8 B spilled, 64 B scratch",
                                "occupancy 75% at most (estimate), limited by registers"}));
  LaunchFact one = kFact;
  one.size.items = {1000, 16, 1};  // the blocks at the edge are not full
  one.limit = "local memory";
  std::vector<std::string> texts = launch_fact_texts(one, LaunchWords::cuda);
  EXPECT_EQ(texts.front(), "12 launches of 1000x16 threads, in blocks of 16x16");
  EXPECT_EQ(texts.back(), "occupancy 75% at most (estimate), limited by shared memory");
}

TEST(LaunchFacts, EqualLinesAreAddedUp) {
  LaunchFacts facts;
  EXPECT_TRUE(facts.empty());
  for (const char* text :
       {"launches 2, items 8x1x1, kernel b_[G]", "launches 1, kernel a_[G]",
        "launches 3, items 8x1x1, kernel b_[G]", "launches 7, items 9x1x1, kernel b_[G]",
        "launches x, kernel b_[G]", "launches 18446744073709551615, kernel a_[G]"})
    facts.read("# aiflame-launch: " + std::string(text));
  const std::vector<LaunchFact> all = facts.all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].launches, UINT64_MAX);
  EXPECT_EQ(all[1].launches, 7u);  // the most frequent size of a kernel is first
  EXPECT_EQ(all[2].launches, 5u);
}

}  // namespace
}  // namespace aiflame
