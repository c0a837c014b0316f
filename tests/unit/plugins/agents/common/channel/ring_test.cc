// SPDX-License-Identifier: MIT
#include "plugins/agents/common/channel/ring.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace aiflame::agent {
namespace {

constexpr size_t kBytes = AGENT_HEADER_BYTES + AGENT_CAPACITY;

std::unique_ptr<agent_ring, decltype(&std::free)> zeroed() {
  return {static_cast<agent_ring*>(std::calloc(1, kBytes)), &std::free};
}

TEST(AgentRing, ReservesUntilItIsFull) {
  const auto ring = zeroed();
  const uint32_t half = AGENT_CAPACITY / 2;
  char* data = reinterpret_cast<char*>(ring.get()) + AGENT_HEADER_BYTES;
  EXPECT_EQ(reinterpret_cast<char*>(reserve(ring.get(), half, 0)), data);
  EXPECT_EQ(reserve(ring.get(), half, 8), nullptr);
  EXPECT_EQ(reinterpret_cast<char*>(reserve(ring.get(), half, 0)), data + half);
  EXPECT_EQ(reserve(ring.get(), 8, 0), nullptr);
  ring->tail = 8;
  EXPECT_EQ(reinterpret_cast<char*>(reserve(ring.get(), 8, 0)), data);
  EXPECT_EQ(ring->head, AGENT_CAPACITY + 8);
}

// A thread that stood still after its look at the head finds the tail past what it saw: others have
// written since, and the recorder has read that.
TEST(AgentRing, AHeadOfLongAgoIsNoFullRing) {
  const auto ring = zeroed();
  ring->head = 64;
  ring->tail = 128;
  EXPECT_NE(reserve(ring.get(), 32, room_for_ends()), nullptr);
}

}  // namespace
}  // namespace aiflame::agent
