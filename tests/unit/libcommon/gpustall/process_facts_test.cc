// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/process_facts.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(ProcessFacts, TextAndBack) {
  const ProcessFacts facts[] = {
      {}, {"3", "", "", "", "", ""}, {"3", "1", "8", "4711", std::string(64, 'a'), "train-0"}};
  for (const ProcessFacts& one : facts)
    EXPECT_EQ(parse_process_facts(process_facts_text(one)), one);
  EXPECT_EQ(process_facts_text(facts[0]), "?");
  EXPECT_EQ(process_facts_text(facts[2]), "rank 3, local_rank 1, ranks 8, job 4711, container " +
                                              std::string(64, 'a') + ", pod train-0");
  EXPECT_EQ(parse_process_facts("later 7, rank 3"), facts[1]);
}

TEST(ProcessFacts, Malformed) {
  for (const char* text : {"rank", "rank ", "rank 3,", "rank 3 4", "rank 3;x", "rank \x1b[m"})
    EXPECT_EQ(parse_process_facts(text), std::nullopt) << text;
  EXPECT_FALSE(is_fact(""));
  EXPECT_FALSE(is_fact(std::string(256, 'x')));
  EXPECT_FALSE(is_fact("12[].batch.host"));
  EXPECT_TRUE(is_fact("12.batch.host:1_a-b"));
}

}  // namespace
}  // namespace aiflame
