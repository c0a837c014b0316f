// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/energy/energy_report.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

TEST(EnergyReport, TakesCountersNotesAndReadingsInPieces) {
  const std::string text =
      "note one\ncounter 0000:3d:00.0 Intel card\ncounter - NVIDIA  H100\nat 10 5 ?\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    EnergyReport report;
    for (size_t at = 0; at < text.size(); at += piece) {
      EXPECT_FALSE(report.has_next());
      report.take(std::string_view(text).substr(at, piece));
    }
    ASSERT_EQ(report.counters().size(), 2U);
    EXPECT_EQ(report.counters()[0].place, "0000:3d:00.0");
    EXPECT_EQ(report.counters()[0].name, "Intel card");
    EXPECT_EQ(report.counters()[1].place, "");
    EXPECT_EQ(report.counters()[1].name, "NVIDIA  H100");
    EXPECT_EQ(report.notes(), std::vector<std::string>{"one"});
    const auto reading = report.next();
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->time, 10U);
    ASSERT_EQ(reading->microjoules.size(), 2U);
    EXPECT_EQ(reading->microjoules[0], 5U);
    EXPECT_FALSE(reading->microjoules[1]);
    EXPECT_FALSE(report.next());
  }
}

TEST(EnergyReport, EndsInPeaceOnlyWhereItSaysThatThereIsNone) {
  EnergyReport report;
  report.take("note why\nno");
  EXPECT_FALSE(report.has_none());
  report.take("ne\n");
  EXPECT_TRUE(report.has_none());
}

TEST(EnergyReport, RefusesWhatItWasNotAskedFor) {
  for (const char* text :
       {"at 1\n", "at\n", "counter - a\nat 1 -5\n", "counter - a\nat 1 5x\n", "counter - a\nat 1\n",
        "counter - a\nat 18446744073709551616 1\n", "counter\n", "counter - a\nnone\n", "\n",
        "counter - a\nat 2 1\nat 2 1\n"}) {
    EnergyReport report;
    EXPECT_THROW(report.take(text), Error) << text;
  }
  EnergyReport report;
  report.take(std::string(EnergyReport::kLongestLine, 'a'));
  EXPECT_THROW(report.take("a"), Error);
}

TEST(EnergyReport, NamesCannotWriteLinesOrEscapes) {
  EnergyReport report;
  report.take("counter - a\033[2J\r\tb\n");
  EXPECT_EQ(report.counters()[0].name, "a\\033[2J\\015\\011b");
}

}  // namespace
}  // namespace aiflame::record
