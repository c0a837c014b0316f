// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/idle_frames.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(IdleFrames, AreThoseOfTheImporters) {
  EXPECT_EQ(idle_frames(IdleKind::waits, true), "[gpu idle];[host waits for the device]");
  EXPECT_EQ(idle_frames(IdleKind::copies, true), "[gpu idle];[host copies]");
  EXPECT_EQ(idle_frames(IdleKind::latency, true), "[gpu idle];[launch latency]");
  EXPECT_EQ(idle_frames(IdleKind::runtime, true), "[gpu idle];[in the runtime]");
  EXPECT_EQ(idle_frames(IdleKind::host, true), "[gpu idle];[host busy];[next launch]");
  EXPECT_EQ(idle_frames(IdleKind::function, true), "[gpu idle];[host function]");
  EXPECT_EQ(idle_frames(IdleKind::untraced, true), "[gpu idle];[untraced];[next launch]");
  EXPECT_EQ(idle_frames(IdleKind::untraced, false), "[gpu idle];[untraced]");
  EXPECT_EQ(idle_frames(IdleKind::before, true), "[before the first];[next launch]");
  EXPECT_EQ(idle_frames(IdleKind::after, false), "[after the last]");
}

}  // namespace
}  // namespace aiflame::collapse
