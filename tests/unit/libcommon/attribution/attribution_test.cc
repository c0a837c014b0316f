// SPDX-License-Identifier: MIT
#include "libcommon/attribution/attribution.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace aiflame {
namespace {

constexpr uint32_t kKernel = 5, kOther = 6;

// Which samples each launch got.
struct Ledger {
  std::map<uint64_t, uint64_t> by_launch;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> by_cell;
  std::map<How, uint64_t> by_how;
  uint64_t total = 0;
  std::vector<uint64_t> candidates;  // of the samples that were presumed last
  Attribution attribution{[this](uint32_t cell, uint64_t launch, uint64_t count, How how) {
    by_launch[launch] += count;
    by_cell[{cell, launch}] += count;
    by_how[how] += count;
    total += count;
    if (how != How::presumed) return;
    const std::vector<uint64_t>* of = attribution.presumed();
    candidates = of == nullptr ? std::vector<uint64_t>() : *of;
  }};

  void sample(uint64_t count, uint32_t cell = 0, uint64_t launch = 0, int64_t pid = 1,
              uint64_t address = 0x100, uint32_t kernel = kKernel) {
    attribution.sample({pid, kernel, address, cell, launch, count});
  }
};

TEST(Attribution, ASampleThatNamesItsLaunchIsExact) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.sample(3, 0, 7);
  EXPECT_EQ(it.by_launch[7], 3u);
  EXPECT_EQ(it.by_how[How::exact], 3u);
}

TEST(Attribution, OneCandidateIsExact) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.define(8, 2, kKernel, 0x100);   // another process
  it.attribution.define(9, 1, kOther, 0x900);    // another kernel
  it.attribution.define(10, 1, kKernel, 0x500);  // another object's kernel of this name
  for (uint64_t launch : {7u, 8u, 9u, 10u}) it.attribution.launched(launch, 1, 10);
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 4u);
  EXPECT_EQ(it.by_how[How::exact], 4u);
}

TEST(Attribution, SamplesWaitForTheSlicesLaunches) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.sample(4);
  EXPECT_EQ(it.total, 0u);
  it.attribution.launched(7, 1, 10);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 4u);
}

TEST(Attribution, LaunchesThatRanForLessThanATickAreCandidatesToo) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.define(8, 1, kKernel, 0x100);
  it.attribution.launched(7, 3, 0);
  it.attribution.launched(8, 1, 0);
  it.sample(400);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 300u);
  EXPECT_EQ(it.by_launch[8], 100u);
  // not if another launch is known to have run
  it.attribution.launched(7, 3, 0);
  it.attribution.launched(8, 1, 5);
  it.sample(10);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[8], 110u);
}

TEST(Attribution, ALaunchWithoutAnAddressMatchesByName) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0);
  it.attribution.launched(7, 1, std::nullopt);
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 4u);
}

TEST(Attribution, AKernelMayStandAtSeveralAddresses) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.define(7, 1, kKernel, 0x200);
  it.attribution.launched(7, 1, 10);
  it.sample(1, 0, 0, 1, 0x100);
  it.sample(2, 0, 0, 1, 0x200);
  it.sample(4, 0, 0, 1, 0x300);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 3u);
  EXPECT_EQ(it.by_how[How::unattributed], 4u);
}

TEST(Attribution, AnUnknownProcessMayBeAny) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.launched(7, 1, 10);
  it.sample(4, 0, 0, 0);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 4u);
}

TEST(Attribution, NothingLaunchedAndUnknownKernelsStayUnattributed) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);  // but never launched
  it.sample(4);
  it.sample(5, 0, 0, 1, 0x100, Attribution::kUnknownKernel);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[0], 9u);
  EXPECT_EQ(it.by_how[How::unattributed], 9u);
}

TEST(Attribution, AThousandSingleSamplesSplitAsTheTimeDid) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  it.attribution.launched(1, 1, 3000);
  it.attribution.launched(2, 9, 1000);
  for (uint32_t cell = 0; cell < 1000; ++cell) it.sample(1, cell);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[1], 750u);
  EXPECT_EQ(it.by_launch[2], 250u);
  EXPECT_EQ(it.by_how[How::apportioned], 1000u);
}

TEST(Attribution, SoDoSlicesOfOneSample) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  for (int slice = 0; slice < 1000; ++slice) {
    it.attribution.launched(1, 1, 3000);
    it.attribution.launched(2, 1, 1000);
    it.sample(1);
    it.attribution.end_slice();
  }
  EXPECT_EQ(it.by_launch[1], 750u);
  EXPECT_EQ(it.by_launch[2], 250u);
}

// Two instructions are sampled in turn: no launch may get all samples of one of them.
TEST(Attribution, EachLaunchGetsItsPartOfEachInstruction) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  for (int slice = 0; slice < 1000; ++slice) {
    it.attribution.launched(1, 1, 1000);
    it.attribution.launched(2, 1, 1000);
    it.sample(1, 10);
    it.sample(1, 20);
    it.attribution.end_slice();
  }
  for (uint32_t cell : {10u, 20u})
    for (uint64_t launch : {1u, 2u})
      EXPECT_NEAR(static_cast<double>(it.by_cell[std::make_pair(cell, launch)]), 500.0, 2.0);
}

TEST(Attribution, WithoutTimesByCounts) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  it.attribution.launched(1, 3, std::nullopt);
  it.attribution.launched(2, 1, 999);  // measured, but not the other one
  it.sample(100);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[1], 75u);
  EXPECT_EQ(it.by_launch[2], 25u);
}

TEST(Attribution, ALaunchOfAnEarlierSliceMayStillRun) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  it.attribution.launched(1, 1, 10);
  it.attribution.end_slice();
  it.attribution.launched(2, 1, 10);
  it.attribution.end_slice();
  it.attribution.end_slice();
  it.sample(4);  // goes to the latest launch of this kernel
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[2], 4u);
  // the record says COUNT 0 and BUSY > 0
  it.attribution.launched(1, 0, 10);
  it.sample(8);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[1], 8u);
}

TEST(Attribution, AMeasuredLaunchThatDidNotRunIsNoCandidate) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  it.attribution.launched(1, 1, 0);
  it.attribution.launched(2, 1, 10);
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[2], 4u);
  EXPECT_EQ(it.by_how[How::exact], 4u);
}

TEST(Attribution, AnUnmeasuredLaunchOfThePrecedingSliceMayStillRun) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.define(2, 1, kKernel, 0x100);
  it.attribution.launched(1, 1, std::nullopt);
  it.attribution.end_slice();
  it.attribution.launched(2, 1, std::nullopt);
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[1], 2u);
  EXPECT_EQ(it.by_launch[2], 2u);
}

TEST(Attribution, TiesGoToTheLowestNumber) {
  Ledger it;
  it.attribution.define(9, 1, kKernel, 0x100);
  it.attribution.define(3, 1, kKernel, 0x100);
  it.attribution.launched(9, 1, 10);
  it.attribution.launched(3, 1, 10);
  it.sample(1);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[3], 1u);
}

TEST(Attribution, ForgettingEndsTheSliceFirst) {
  Ledger it;
  it.attribution.define(1, 1, kKernel, 0x100);
  it.attribution.launched(1, 1, 10);
  it.sample(4);
  it.attribution.forget();
  EXPECT_EQ(it.by_launch[1], 4u);
  EXPECT_FALSE(it.attribution.defined(1));
  it.sample(2);
  it.attribution.forget();
  EXPECT_EQ(it.by_how[How::unattributed], 2u);
}

// For any input: samples in == samples out, and the shares follow the weights.
TEST(Attribution, ConservesRandomSlices) {
  std::mt19937_64 random(1);
  Ledger it;
  for (uint64_t launch = 1; launch <= 20; ++launch)
    it.attribution.define(launch, static_cast<int64_t>(1 + launch % 2),
                          static_cast<uint32_t>(kKernel + launch % 3), launch % 4 * 0x100);
  uint64_t in = 0;
  for (int slice = 0; slice < 500; ++slice) {
    for (int i = 0; i < 5; ++i) {
      const bool measured = random() % 3 != 0;
      it.attribution.launched(1 + random() % 20, random() % 4,
                              measured ? std::optional<uint64_t>(random() % 100) : std::nullopt);
    }
    for (int i = 0; i < 10; ++i) {
      const uint64_t count = random() % 7 == 0 ? random() >> 20 : random() % 5;
      in += count;
      it.sample(count, static_cast<uint32_t>(random() % 50), 0, static_cast<int64_t>(random() % 3),
                random() % 4 * 0x100, kKernel + static_cast<uint32_t>(random() % 4));
    }
    it.attribution.end_slice();
  }
  EXPECT_EQ(it.total, in);
}

TEST(Attribution, HugeNumbersDoNotOverflow) {
  Ledger it;
  for (uint64_t launch = 1; launch <= 3; ++launch) {
    it.attribution.define(launch, 1, kKernel, 0x100);
    it.attribution.launched(launch, UINT64_MAX / 4, UINT64_MAX / 4);
  }
  it.sample(UINT64_MAX);
  it.attribution.end_slice();
  EXPECT_EQ(it.total, UINT64_MAX);
  EXPECT_NEAR(static_cast<double>(it.by_launch[1]), static_cast<double>(UINT64_MAX) / 3, 1e10);
}

TEST(Attribution, ALaunchOfAnUnknownKernelCanBeAnyOfItsProcess) {
  constexpr uint32_t kUnknown = Attribution::kUnknownKernel;
  Ledger it;
  it.attribution.define(7, 1, kUnknown, 0);
  it.attribution.define(8, 1, kOther, 0x900);
  it.attribution.define(9, 2, kUnknown, 0);
  for (uint64_t launch : {7u, 8u, 9u}) it.attribution.launched(launch, 1, std::nullopt);
  it.sample(4);                          // no launch of this kernel
  it.sample(5, 1, 0, 1, 0x900, kOther);  // one
  it.sample(6, 2, 0, 1, 0, kUnknown);    // of no known kernel
  it.sample(7, 3, 0, 3, 0x100);          // of a process without launches
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 10u);
  EXPECT_EQ(it.by_launch[8], 5u);
  EXPECT_EQ(it.by_launch[9], 0u);
  EXPECT_EQ(it.by_how[How::unattributed], 7u);
  // it may still be running
  it.sample(3);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 13u);
}

// Uprobes do not know the addresses of the kernels, and the hardware does not know the process.
TEST(Attribution, ASampleOfUnknownCodeCanBeOfAnyLaunchWhoseCodeIsUnknown) {
  constexpr uint32_t kUnknown = Attribution::kUnknownKernel;
  Ledger it;
  it.attribution.presume_unknown_code();
  it.attribution.define(7, 1, kKernel, 0);
  it.attribution.define(8, 1, kOther, 0);
  it.attribution.define(9, 1, kOther, 0x900);  // its code is known, so it was not sampled
  it.attribution.define(10, 1, kOther, 0, Witness::other);
  it.attribution.launched(7, 3, std::nullopt);
  it.attribution.launched(8, 1, std::nullopt);
  it.attribution.launched(9, 5, std::nullopt);
  it.attribution.launched(10, 5, std::nullopt);
  it.sample(400, 0, 0, 0, 0, kUnknown);
  it.attribution.end_slice();
  // the process is not known either
  EXPECT_EQ(it.by_launch[0], 400u);
  EXPECT_EQ(it.by_how[How::presumed], 400u);
  EXPECT_EQ(it.candidates, (std::vector<uint64_t>{}));
  it.sample(5, 0, 0, 1, 0, kUnknown);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[0], 405u);
  EXPECT_EQ(it.by_how[How::presumed], 405u);
  EXPECT_EQ(it.candidates, (std::vector<uint64_t>{7, 8}));
}

// With two functions that each launch one kernel, the last one is as likely as the one before it.
TEST(Attribution, LaunchesOfUnknownKernelsShareNothing) {
  constexpr uint32_t kUnknown = Attribution::kUnknownKernel;
  Ledger it;
  it.attribution.define(7, 1, kUnknown, 0);
  it.attribution.define(8, 1, kUnknown, 0);
  it.attribution.define(9, 2, kUnknown, 0);  // of another process
  it.attribution.launched(9, 1, std::nullopt);
  it.attribution.launched(7, 1, std::nullopt);
  it.sample(10);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 10u);  // the only one so far
  EXPECT_EQ(it.by_how[How::exact], 10u);
  it.attribution.launched(8, 1, std::nullopt);
  it.sample(3);
  it.attribution.end_slice();
  // long after: the first one may still be running
  for (int i = 0; i < 10; ++i) {
    it.attribution.launched(8, 1, std::nullopt);
    it.sample(1);
    it.attribution.end_slice();
  }
  EXPECT_EQ(it.by_launch[8], 0u);
  EXPECT_EQ(it.by_how[How::presumed], 13u);
  EXPECT_EQ(it.candidates, (std::vector<uint64_t>{7, 8}));
}

// A launch whose report was lost may be the one.
TEST(Attribution, WhereManyLaunchesWereLostCandidatesAreOnlyPresumed) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.launched(7, 9, 10);
  it.attribution.lost_launches(2, 5);  // of another process
  it.sample(3);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::exact], 3u);
  it.attribution.lost_launches(1, 1);
  it.attribution.launched(7, 9, 10);  // the record of a loss may come first
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::presumed], 4u);
  it.sample(5);  // it may be one that was lost, too
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::presumed], 9u);
  EXPECT_EQ(it.candidates, (std::vector<uint64_t>{}));
  it.attribution.launched(7, 1, 10);
  it.sample(6);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::exact], 9u);
}

TEST(Attribution, FewLostLaunchesMakeNoSampleDoubtful) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.launched(7, 10000, 10);
  it.attribution.lost_launches(1, 999);
  it.sample(3);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::exact], 3u);
  it.attribution.lost_launches(1, UINT64_MAX);
  it.attribution.lost_launches(1, 5);
  it.attribution.launched(7, 10000, 10);
  it.sample(4);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::presumed], 4u);
}

TEST(Attribution, UnknownCodeIsPresumedToBeAnOpaqueLaunchOfThisSliceOrTheLast) {
  Ledger it;
  constexpr uint32_t kDriver = 9;
  it.attribution.define(7, 1, kDriver, 0);
  it.attribution.mark_opaque(7);
  it.attribution.define(8, 1, kDriver, 0);
  it.attribution.mark_opaque(8);
  it.attribution.launched(7, 3, 300);
  it.attribution.launched(8, 3, 100);
  it.sample(400, 0, 0, 0, 0, Attribution::kUnknownKernel);
  it.sample(5, 1, 0, 1, 0x100);  // of a known kernel: none of theirs
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[0], 405u);
  EXPECT_EQ(it.by_how[How::presumed], 400u);
  EXPECT_EQ(it.by_how[How::unattributed], 5u);
  it.sample(8, 0, 0, 0, 0, Attribution::kUnknownKernel);  // late
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::presumed], 408u);
  it.sample(8, 0, 0, 0, 0, Attribution::kUnknownKernel);  // too late
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::presumed], 408u);
  EXPECT_EQ(it.by_how[How::unattributed], 13u);
}

// The process is what links a sample to a launch of unknown kernel.
TEST(Attribution, ALaunchOfAnUnknownKernelIsOnlyPresumedWhereTheProcessIsUnknownToo) {
  Ledger it;
  it.attribution.define(7, 1, Attribution::kUnknownKernel, 0);
  it.attribution.launched(7, 1, std::nullopt);
  it.sample(3, 1, 0, 1);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::exact], 3u);
  it.attribution.launched(7, 1, std::nullopt);
  it.sample(4, 1, 0, 0);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 3u);
  EXPECT_EQ(it.by_how[How::presumed], 4u);
}

TEST(Attribution, WhereNobodyKnowsCodeNorProcessOneLaunchIsPresumedToo) {
  Ledger it;
  it.attribution.presume_unknown_code();
  it.attribution.define(7, 1, kKernel, 0);
  it.attribution.launched(7, 3, std::nullopt);
  it.sample(4, 0, 0, 0, 0, Attribution::kUnknownKernel);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[0], 4u);
  EXPECT_EQ(it.by_how[How::presumed], 4u);
  // another recording does not presume
  it.attribution.forget();
  it.attribution.define(7, 1, kKernel, 0);
  it.attribution.launched(7, 3, std::nullopt);
  it.sample(4, 0, 0, 0, 0, Attribution::kUnknownKernel);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_how[How::unattributed], 4u);
}

TEST(Attribution, TheRecordersOwnLaunchesAreBelievedFirst) {
  Ledger it;
  it.attribution.define(7, 1, kKernel, 0x100);
  it.attribution.define(8, 1, kKernel, 0, Witness::other);
  it.attribution.define(9, 1, kKernel, 0, Witness::timeless);
  it.attribution.define(10, 1, Attribution::kUnknownKernel, 0, Witness::timeless);
  it.attribution.launched_sometime(9, 3);
  it.attribution.launched_sometime(10, 1);
  it.sample(4);
  it.sample(1, 1, 0, 1, 0, kOther);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[9], 4u);  // the others have not run yet
  EXPECT_EQ(it.by_launch[10], 1u);
  it.attribution.launched(8, 1, std::nullopt);
  it.sample(5);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[8], 5u);
  it.attribution.launched(7, 1, std::nullopt);
  it.sample(6);
  it.attribution.end_slice();
  EXPECT_EQ(it.by_launch[7], 6u);
  EXPECT_EQ(it.total, 16u);
}

}  // namespace
}  // namespace aiflame
