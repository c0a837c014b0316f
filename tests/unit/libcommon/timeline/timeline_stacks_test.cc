// SPDX-License-Identifier: MIT
#include "libcommon/timeline/timeline_stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// "[exposed] 3 1, [hidden] 5 0"
std::string drawn(const WorkTime& work, const TimelineSettings& settings, ImportedStacks& stacks) {
  std::string out;
  add_work(work, settings, stacks, [&](std::string_view mark, uint64_t time, uint64_t records) {
    stacks.add(stacks.child(ImportedStacks::kEmpty, "k"), time, records);
    out += (out.empty() ? "" : ", ") + std::string(mark.empty() ? "-" : mark) + " " +
           std::to_string(time) + " " + std::to_string(records);
  });
  return out;
}

TEST(TimelineStacks, WorkIsDrawnAsItOwnsItsTime) {
  constexpr TimelineSettings kIdle{.idle = true}, kExposed{.exposed = true},
      kBoth{.idle = true, .exposed = true};
  const WorkTime gemm{8, 3, WorkClass::computation}, copy{8, 3, WorkClass::copy};
  ImportedStacks stacks;
  EXPECT_EQ(drawn(gemm, kIdle, stacks), "- 3 1");
  EXPECT_EQ(drawn(gemm, kExposed, stacks), "- 8 1");
  EXPECT_EQ(drawn(copy, kIdle, stacks), "- 3 1");
  EXPECT_EQ(drawn(copy, kExposed, stacks), "[exposed] 3 1, [hidden] 5 0");
  EXPECT_EQ(drawn(copy, kBoth, stacks), "[exposed] 3 1");
  EXPECT_EQ(drawn({8, 0, WorkClass::copy}, kExposed, stacks), "[hidden] 8 1");
  EXPECT_EQ(drawn({8, 0, WorkClass::copy}, kIdle, stacks), "");
  EXPECT_EQ(drawn({0, 0, WorkClass::copy}, kIdle, stacks), "- 0 1");
  EXPECT_EQ(drawn({8, 9, WorkClass::computation}, kIdle, stacks), "- 9 1");
  EXPECT_NE(stacks.json().find("\"ran beside other work\": {\"records\": 1, \"weight\": 23}"),
            std::string::npos)
      << stacks.json();
}

TEST(TimelineStacks, TheBudgetOfGapsEnds) {
  GapBudget budget;
  budget.spend((size_t{1} << 31) - 120);
  budget.spend(0);
  EXPECT_THROW(budget.spend(0), Error);
}

TEST(TimelineStacks, OutsideNeedsIdle) {
  EXPECT_NO_THROW((TimelineSettings{.idle = true, .outside = true}.check()));
  EXPECT_THROW((TimelineSettings{.outside = true}.check()), UsageError);
}

}  // namespace
}  // namespace aiflame
