// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/live_memory.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace aiflame::collapse {
namespace {

using Kind = MemoryMoment::Kind;

LiveMemory looking_at(Kind kind, uint64_t time = 0) {
  return LiveMemory(MemoryMoment{kind, 0, time});
}

TEST(LiveMemory, ThePeakIsOfOneMoment) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.allocate(7, 0x10, 4, 0, 0, 1);
  memory.allocate(7, 0x20, 2, 1, 0, 2);  // the peak
  memory.free(7, 0x10, std::nullopt, 0, 3);
  memory.allocate(7, 0x30, 3, 0, 0, 4);
  memory.free(7, 0x20, 2, 0, 5);
  memory.finish();
  EXPECT_EQ(memory.at_moment(0).bytes, 4u);
  EXPECT_EQ(memory.at_moment(1).bytes, 2u);
  EXPECT_EQ(memory.allocated(0).bytes, 7u);
  EXPECT_EQ(memory.allocated(0).blocks, 2u);
  EXPECT_EQ(memory.devices().at(0).live.bytes, 6u);
  EXPECT_EQ(memory.devices().at(0).live.blocks, 2u);
  EXPECT_EQ(memory.allocations(), 3u);
  EXPECT_EQ(memory.frees(), 2u);
}

TEST(LiveMemory, EachDeviceHasItsOwnPeak) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.allocate(7, 0x10, 100, 0, 0, 1);
  memory.free(7, 0x10, 100, 0, 2);
  memory.allocate(7, 0x10, 200, 1, 1, 3);
  memory.free(7, 0x10, 200, 1, 4);
  memory.finish();
  EXPECT_EQ(memory.devices().at(0).live.bytes, 100u);
  EXPECT_EQ(memory.devices().at(1).live.bytes, 200u);
}

// A block from before was there up to its free, and with it the peak is another moment.
TEST(LiveMemory, WhatIsFreedWithoutHavingBeenAllocatedWasThereBefore) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.allocate(7, 0x10, 10, 0, 0, 1);  // 110, the peak
  memory.free(7, 0x99, 100, 0, 2);
  memory.allocate(7, 0x20, 50, 1, 0, 3);  // 60
  memory.finish();
  EXPECT_EQ(memory.at_moment(0).bytes, 10u);
  EXPECT_EQ(memory.at_moment(1).bytes, 0u);
  const LiveMemory::Held held = memory.devices().at(0);
  EXPECT_EQ(held.unknown.bytes, 100u);
  EXPECT_EQ(held.unknown.blocks, 1u);
  EXPECT_EQ(held.live.bytes, 110u);
  EXPECT_EQ(held.unknown_sizes, 0u);
}

TEST(LiveMemory, ABlockFromBeforeMayHaveNoSize) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.free(7, 0x99, std::nullopt, 0, 1);
  memory.finish();
  EXPECT_EQ(memory.devices().at(0).unknown.blocks, 1u);
  EXPECT_EQ(memory.devices().at(0).unknown.bytes, 0u);
  EXPECT_EQ(memory.devices().at(0).unknown_sizes, 1u);
}

TEST(LiveMemory, AtTheEndAndAtATime) {
  for (const auto& [kind, time, bytes] : {std::tuple{Kind::end, uint64_t{0}, 3u},
                                          {Kind::time, 0, 5u},
                                          {Kind::time, 9, 5u},
                                          {Kind::time, 10, 8u},
                                          {Kind::time, 19, 8u},
                                          {Kind::time, 20, 3u},
                                          {Kind::time, UINT64_MAX, 3u}}) {
    LiveMemory memory = looking_at(kind, time);
    memory.begin(100);
    memory.allocate(7, 0x10, 5, 0, 0, 100);
    memory.allocate(7, 0x20, 3, 0, 0, 110);
    memory.free(7, 0x10, 5, 0, 120);
    memory.finish();
    EXPECT_EQ(memory.at_moment(0).bytes, bytes) << time;
  }
}

// Its memory goes with a program; but at the end of a recording the last one has just ended.
TEST(LiveMemory, AProgramThatHasEndedHoldsNothing) {
  for (const auto& [kind, time, bytes] : {std::tuple{Kind::peak, uint64_t{0}, 5u},
                                          {Kind::end, 0, 3u},
                                          {Kind::time, 5, 5u},
                                          {Kind::time, 10, 0u},
                                          {Kind::time, 25, 3u},
                                          {Kind::time, 30, 0u}}) {
    LiveMemory memory = looking_at(kind, time);
    memory.begin(100);
    memory.allocate(7, 0x10, 5, 0, 0, 100);
    memory.release(7, 110);
    memory.allocate(8, 0x10, 3, 0, 0, 120);
    memory.release(8, 130);
    memory.finish();
    EXPECT_EQ(memory.devices().at(0).live.bytes, bytes) << time;
    EXPECT_EQ(memory.freed_unseen(), 0u);
  }
}

TEST(LiveMemory, AnAddressThatIsAllocatedAgainWasFreed) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.allocate(7, 0x10, 5, 0, 0, 1);
  memory.allocate(7, 0x10, 3, 0, 0, 2);
  memory.allocate(8, 0x10, 1, 0, 0, 3);  // of another process
  memory.finish();
  EXPECT_EQ(memory.freed_unseen(), 1u);
  EXPECT_EQ(memory.devices().at(0).live.bytes, 5u);
}

TEST(LiveMemory, NothingWasRecorded) {
  LiveMemory memory = looking_at(Kind::peak);
  memory.release(7, 1);
  memory.finish();
  EXPECT_TRUE(memory.devices().empty());
  EXPECT_EQ(memory.groups(), 0u);
}

// The same as copying all sums at each new peak.
TEST(LiveMemory, RandomRecordsGiveTheSumsOfThePeak) {
  std::mt19937 random(44);
  for (int round = 0; round < 50; ++round) {
    LiveMemory memory = looking_at(Kind::peak);
    struct Block {
      uint64_t bytes;
      uint32_t group;
    };
    std::map<uint64_t, Block> live;
    std::map<uint32_t, uint64_t> sums, at_peak;
    uint64_t level = 0, peak = 0;
    for (uint64_t i = 1; i < 400; ++i) {
      const uint64_t address = random() % 40;
      const auto known = live.find(address);
      if (known == live.end()) {
        const Block made{random() % 1000, static_cast<uint32_t>(random() % 7)};
        live[address] = made;
        memory.allocate(7, address, made.bytes, made.group, 0, i);
        sums[made.group] += made.bytes;
        level += made.bytes;
        if (level > peak) {
          peak = level;
          at_peak = sums;
        }
      } else {
        memory.free(7, address, std::nullopt, 0, i);
        sums[known->second.group] -= known->second.bytes;
        level -= known->second.bytes;
        live.erase(known);
      }
    }
    memory.finish();
    for (uint32_t group = 0; group < memory.groups(); ++group)
      ASSERT_EQ(memory.at_moment(group).bytes, at_peak[group]);
    ASSERT_EQ(memory.devices().at(0).live.bytes, peak);
  }
}

}  // namespace
}  // namespace aiflame::collapse
