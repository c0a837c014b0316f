// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/ledger.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame::svg {
namespace {

BlockReport block(uint64_t number, const std::vector<Count>& counts) {
  BlockReport report;
  report.number = number;
  report.path = "in";
  report.first = number == 0;
  for (const Count& count : counts) report.counted.push_back({++report.lines, count, {}, false});
  return report;
}

// The message that close() throws; empty when it does not throw.
std::string failure(const Ledger& ledger) {
  try {
    ledger.close();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ledger, ReportsTheFirstMistakeOfTheInput) {
  Ledger ledger(false);
  BlockReport later = block(2, {{1, 0}});
  later.mistake = "later";
  EXPECT_FALSE(ledger.add(std::move(later)));
  BlockReport sooner = block(1, {{1, 0}, {1, 0}});
  ++sooner.lines;
  sooner.mistake = "sooner";
  EXPECT_FALSE(ledger.add(std::move(sooner)));
  EXPECT_FALSE(ledger.add(block(0, {{1, 0}, {1, 0}})));
  EXPECT_EQ(failure(ledger), "in:5: sooner");
}

TEST(Ledger, SumsThatDoNotFit) {
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(block(1, {{1, 0}, {1, 0}})));  // waits
  EXPECT_FALSE(ledger.add(block(0, {{UINT64_MAX - 1, 0}})));
  EXPECT_EQ(failure(ledger), "in:3: the counts are too large to be added in 64 bits");
  Ledger fits(false);
  EXPECT_TRUE(fits.add(block(0, {{UINT64_MAX - 1, 0}, {1, 0}})));
  EXPECT_EQ(failure(fits), "");
}

TEST(Ledger, FinerCountsThatDoNotFit) {
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(block(0, {{UINT64_MAX / 10, 0}})));
  EXPECT_FALSE(ledger.add(block(1, {{5, 1}, {99, 1}})));
  EXPECT_EQ(failure(ledger), "in:3: the counts are too large to be added in 64 bits");
  EXPECT_EQ(ledger.decimals(), 1U);
}

TEST(Ledger, LinesAreNumberedByFile) {
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(block(0, {{1, 0}, {1, 0}})));
  BlockReport other = block(1, {{1, 0}});
  other.path = "other";
  other.first = true;
  other.mistake = "wrong";
  EXPECT_FALSE(ledger.add(std::move(other)));
  EXPECT_EQ(failure(ledger), "other:1: wrong");
}

BlockReport stated(uint64_t number, const Quantity& quantity) {
  BlockReport report = block(number, {{1, 0}});
  report.stated.push_back({++report.lines, quantity});
  return report;
}

TEST(Ledger, UnitsAreComparedInTheOrderOfTheInput) {
  const Quantity time{"gpu-time", "ns"}, stalls{"gpu-stall", "stalls"};
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(stated(1, stalls)));  // waits
  EXPECT_FALSE(ledger.add(stated(0, time)));
  EXPECT_EQ(failure(ledger),
            "in:4: counts are stalls (gpu-stall), those of in:2 are ns (gpu-time); "
            "--mixed draws them all the same");
  Ledger mixed(false, true);
  EXPECT_TRUE(mixed.add(stated(1, stalls)));
  EXPECT_TRUE(mixed.add(stated(0, time)));
  EXPECT_TRUE(mixed.add(stated(2, time)));  // the unit stays forgotten
  EXPECT_EQ(failure(mixed), "");
  EXPECT_TRUE(mixed.adds_units());
  EXPECT_FALSE(mixed.quantity().is_known());
}

TEST(Ledger, OtherPeriodsAreOtherUnits) {
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(stated(0, {"a", "samples"})));
  EXPECT_TRUE(ledger.add(stated(1, {"b", "samples", 5, "ns"})));
  EXPECT_EQ(describe(ledger.quantity()), "samples");
  EXPECT_FALSE(ledger.add(stated(2, {"b", "samples", 6, "ns"})));
  EXPECT_EQ(failure(ledger),
            "in:6: counts are samples of 6 ns (b), those of in:4 are samples of 5 ns (b); "
            "--mixed draws them all the same");
}

TEST(Ledger, TheFirstMistakeOfABlock) {
  Ledger ledger(false);
  EXPECT_TRUE(ledger.add(stated(0, {"", "ns"})));
  BlockReport report = block(1, {{1, 0}, {UINT64_MAX, 0}});
  report.stated.push_back({1, {"", "stalls"}});
  EXPECT_FALSE(ledger.add(std::move(report)));
  EXPECT_EQ(failure(ledger).substr(0, 23), "in:3: counts are stalls");
}

TEST(Ledger, AFailureWithoutALineIsRethrown) {
  Ledger ledger(false);
  BlockReport report = block(0, {});
  report.failure = std::make_exception_ptr(Error("cannot read 'in': Input/output error"));
  EXPECT_FALSE(ledger.add(std::move(report)));
  EXPECT_EQ(failure(ledger), "cannot read 'in': Input/output error");
}

}  // namespace
}  // namespace aiflame::svg
