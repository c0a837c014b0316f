// SPDX-License-Identifier: MIT
#include "libcommon/import/importer.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

TEST(Importer, CommaLists) {
  using List = std::vector<std::string>;
  EXPECT_EQ(comma_list("RANK,THREAD"), (List{"RANK", "THREAD"}));
  EXPECT_EQ(comma_list(",a,,b c,"), (List{"a", "b c"}));
  EXPECT_TRUE(comma_list("").empty());
}

TEST(Importer, StatisticsAreNotMixedWithTheStacks) {
  ImportSettings settings;
  settings.stats = "-";
  settings.no_sandbox = true;
  EXPECT_THROW(import_stacks(settings, [](const std::string&, ImportedStacks&) {}), UsageError);
}

}  // namespace
}  // namespace aiflame
