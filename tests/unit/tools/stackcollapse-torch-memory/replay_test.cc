// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/replay.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "libcommon/base/program.h"

namespace aiflame::torch_memory {
namespace {

// Makes the snapshot of a device, whose entries are given in their order.
struct Made {
  Snapshot snapshot;

  Made() { snapshot.traces.emplace_back(); }
  void entry(Action action, uint64_t address, uint64_t size, uint64_t time = 0) {
    const uint32_t group = snapshot.groups.number({kUnknown, kUnknown, 0, 0});
    snapshot.log.add({action, address, size, time, Snapshot::kNoStack, group});
    snapshot.traces[0] = {{0, snapshot.log.size()}};
  }
  void block(uint64_t address, uint64_t size, BlockState state = BlockState::active) {
    Block out;
    out.address = address;
    out.size = out.requested = size;
    out.state = state;
    snapshot.blocks.push_back(out);
    Segment segment;
    segment.address = address;
    segment.size = size;
    segment.blocks = {{static_cast<uint32_t>(snapshot.blocks.size() - 1), 1}};
    snapshot.segments.push_back(segment);
  }
  // Bytes in use, and the moment.
  std::pair<uint64_t, Replay> at(const MemoryMoment& moment) {
    uint64_t sum = 0;
    const auto found =
        replay(snapshot, 0, moment, [&](const LiveBlock& block) { sum += block.size; });
    EXPECT_TRUE(found);
    return {sum, found.value_or(Replay())};
  }
};

TEST(Replay, TheFirstOfEqualPeaks) {
  Made made;
  made.entry(Action::alloc, 1, 10);
  made.entry(Action::free_completed, 1, 10);
  made.entry(Action::alloc, 2, 10);
  const auto [bytes, found] = made.at({});
  EXPECT_EQ(bytes, 10U);
  EXPECT_EQ(found.entries, 1U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::event, 1}).first, 0U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::end}).first, 10U);
}

TEST(Replay, ThePeakMayBeTheStart) {
  Made made;
  made.entry(Action::free_completed, 1, 10);
  made.entry(Action::alloc, 2, 3);
  made.block(2, 3);
  made.block(5, 7);
  EXPECT_EQ(made.at({}).first, 17U);
  EXPECT_EQ(made.at({}).second.entries, 0U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::end}).first, 10U);
}

TEST(Replay, Moments) {
  Made made;
  made.entry(Action::alloc, 1, 10, 1000);
  made.entry(Action::out_of_memory, 0, 99, 1001);
  made.entry(Action::alloc, 2, 20, 1002);
  made.entry(Action::segment_add, 0, 64, 1003);
  made.block(1, 100);
  made.block(2, 100);
  EXPECT_EQ(made.at({MemoryMoment::Kind::oom}).first, 10U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::oom}).second.out_of_memory->size, 99U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::oom}).second.reserved, 136U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::end}).second.reserved, 200U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::time, 0, 1999}).first, 10U);
  EXPECT_EQ(made.at({MemoryMoment::Kind::time, 0, 2000}).first, 30U);
  EXPECT_THROW(made.at({MemoryMoment::Kind::event, 4}), Error);
  EXPECT_FALSE(replay(made.snapshot, 1, {MemoryMoment::Kind::oom}, [](const LiveBlock&) {}));
}

TEST(Replay, WhatWasPendingIsCounted) {
  Made made;
  made.block(1, 5, BlockState::pending_free);
  made.block(2, 6, BlockState::inactive);
  const auto [bytes, found] = made.at({});
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(found.pending, 1U);
  EXPECT_EQ(found.pending_bytes, 5U);
}

TEST(Replay, HostileSizesDoNotOverflow) {
  Made made;
  for (uint64_t i = 1; i < 5; ++i) made.entry(Action::alloc, i, UINT64_MAX);
  EXPECT_EQ(made.at({}).second.entries, 4U);
  for (uint64_t i = 5; i < 9; ++i) made.entry(Action::free_completed, i, UINT64_MAX);
  EXPECT_EQ(made.at({}).second.entries, 4U);
}

// What a program does from a random state on, cut anywhere: the state at each moment is known.
TEST(Replay, FindsTheStateAtTheStart) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::map<uint64_t, uint64_t> live;  // by address
    std::vector<uint64_t> after;        // bytes in use after each entry
    Made made;
    const auto sum = [&] {
      uint64_t out = 0;
      for (const auto& [address, size] : live) out += size;
      return out;
    };
    for (uint64_t i = 0; i < random() % 20; ++i) live[random() % 64] = 1 + random() % 1000;
    const uint64_t start = sum();
    for (int i = 0; i < 100; ++i) {
      const uint64_t address = random() % 64;
      if (const auto at = live.find(address); at != live.end()) {
        made.entry(Action::free_completed, address, at->second);
        live.erase(at);
      } else {
        live[address] = 1 + random() % 1000;
        made.entry(Action::alloc, address, live[address]);
      }
      after.push_back(sum());
    }
    for (const auto& [address, size] : live) made.block(address, size);
    for (uint64_t i = 0; i < after.size(); ++i)
      ASSERT_EQ(made.at({MemoryMoment::Kind::event, i}).first, after[i]);
    ASSERT_EQ(made.at({}).first, std::max(start, *std::max_element(after.begin(), after.end())));
  }
}

}  // namespace
}  // namespace aiflame::torch_memory
