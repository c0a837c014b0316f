// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/sample_ledger.h"

#include <gtest/gtest.h>

#include <map>

namespace aiflame::record {
namespace {

TEST(SampleLedger, WhatIsTakenIsWrittenOrLostOrHeld) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  ledger.take(Counted::samples, 10);
  EXPECT_EQ(ledger.check({10, 0, 0}), "");
  ledger.write(Counted::samples, 6);
  EXPECT_EQ(ledger.check({4, 0, 0}), "");
  ledger.lose({Counted::samples, 7, 0}, 3, LossCause::no_room);
  EXPECT_EQ(ledger.check({1, 0, 0}), "");
  ledger.write_loss(Counted::samples, 3);  // without having waited for it
  EXPECT_EQ(ledger.check({1, 0, 0}),
            "10 samples were taken, but 6 written, 3 lost, 0 withdrawn, and 4 are held");
  ledger.place_losses([](const auto&, uint64_t) { return true; });
  EXPECT_EQ(ledger.check({1, 0, 0}), "");
  EXPECT_EQ(ledger.check({0, 0, 0}),
            "10 samples were taken, but 6 written, 3 lost, 0 withdrawn, and 0 are held");
}

TEST(SampleLedger, MemoryIsCountedApart) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  ledger.take(Counted::memory, 4);
  ledger.write(Counted::memory, 1);
  ledger.lose({Counted::memory, 7, 0}, 2, LossCause::reported);
  EXPECT_EQ(ledger.check({0, 0, 1}), "");
  EXPECT_EQ(ledger.check({0, 0, 0}),
            "4 allocations and frees were taken, but 1 written, 0 lost, 0 withdrawn, and 2 are "
            "held");
  EXPECT_EQ(ledger.lost(Counted::memory, LossCause::reported), 2u);
}

TEST(SampleLedger, LaunchesThatFailedAreWithdrawn) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  ledger.take(Counted::launches, 5);
  ledger.withdraw(2);
  ledger.write(Counted::launches, 3);
  EXPECT_EQ(ledger.check({0, 0, 0}), "");
  ledger.write(Counted::launches, 1);
  EXPECT_EQ(ledger.check({0, 0, 0}),
            "5 launches were taken, but 4 written, 0 lost, 2 withdrawn, and 0 are held");
}

TEST(SampleLedger, ALossWaitsUntilItsRecordIsPlaced) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  ledger.take(Counted::samples, 5);
  ledger.lose({Counted::samples, 7, 1}, 2, LossCause::no_room);
  ledger.lose({Counted::samples, 7, 1}, 3, LossCause::reported);
  ledger.lose({Counted::samples, 7, 1}, SampleLedger::kUnknown, LossCause::reported);
  EXPECT_EQ(ledger.lost(Counted::samples, LossCause::no_room), 2u);
  EXPECT_EQ(ledger.lost(Counted::samples, LossCause::reported), 3u);
  ledger.place_losses([](const auto&, uint64_t) { return false; });
  EXPECT_GT(budgets.used(Kept::losses), 0u);
  std::vector<uint64_t> counts;
  ledger.place_losses([&](const SampleLedger::Key& key, uint64_t count) {
    EXPECT_EQ(key.pid, 7u);
    EXPECT_EQ(key.device, 1u);
    counts.push_back(count);
    return true;
  });
  EXPECT_EQ(counts, (std::vector<uint64_t>{5, SampleLedger::kUnknown}));
  EXPECT_EQ(budgets.used(Kept::losses), 0u);
}

// A machine may start a million processes, each of which loses something.
TEST(SampleLedger, LossesOfAnyNumberOfProcessesTakeBoundedRoomAndKeepTheirSum) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  constexpr uint32_t kProcesses = 1000000;
  for (uint32_t pid = 1; pid <= kProcesses; ++pid) {
    ledger.take(Counted::launches, 2);
    ledger.lose({Counted::launches, pid, 0}, 2, LossCause::no_room);
  }
  EXPECT_LE(budgets.used(Kept::losses), Budgets::total(Kept::losses));
  EXPECT_EQ(ledger.check({0, 0, 0}), "");
  uint64_t sum = 0, lines = 0;
  ledger.place_losses([&](const SampleLedger::Key&, uint64_t count) {
    sum += count;
    ++lines;
    return true;
  });
  EXPECT_EQ(sum, 2 * kProcesses);
  EXPECT_GT(lines, 1000u);
  EXPECT_LT(lines, 100000u);
}

// Agents may claim any number.
TEST(SampleLedger, SumsThatReachTheirEndAreNotCompared) {
  Budgets budgets;
  SampleLedger ledger(budgets);
  ledger.take(Counted::launches, UINT64_MAX - 1);
  ledger.take(Counted::launches, 5);
  ledger.write(Counted::launches, 3);
  EXPECT_EQ(ledger.check({0, 0, 0}), "");
}

}  // namespace
}  // namespace aiflame::record
