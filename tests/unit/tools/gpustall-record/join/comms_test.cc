// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/comms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace aiflame::record {
namespace {

constexpr uint32_t kNobody = 1 << 23;  // no process has such a number

TEST(Comms, TheFirstNameHoldsUntilTheProgramEnds) {
  Comms comms;
  EXPECT_EQ(comms.find(kNobody), "[device]");
  comms.set_if_unknown(kNobody, "launcher");
  comms.set_if_unknown(kNobody, "worker");
  EXPECT_EQ(comms.find(kNobody), "launcher");
  // an exec, or another process with its number
  comms.end_program(kNobody);
  EXPECT_EQ(comms.find(kNobody), "launcher");  // for what is not written yet
  comms.set_if_unknown(kNobody, "worker");
  EXPECT_EQ(comms.find(kNobody), "worker");
  comms.set_if_unknown(kNobody, "other");
  EXPECT_EQ(comms.find(kNobody), "worker");
}

TEST(Comms, AProgramThatEndedHasNoNameInProc) {
  Comms comms;
  comms.set(kNobody, "ended");
  comms.end_program(kNobody);
  comms.set_from_proc(kNobody);
  EXPECT_EQ(comms.find(kNobody), "ended");
}

// A machine may start any number of processes, of whose ends nobody tells.
TEST(Comms, AMillionProcessesTakeBoundedRoom) {
  Comms comms;
  const auto own = static_cast<uint32_t>(getpid());
  comms.set(own, "early");
  comms.set(kNobody, "busy");
  for (uint32_t i = 1; i <= 1000000; ++i) {
    comms.set(kNobody + i, "short");
    if (i % 1000 == 0) {
      ASSERT_EQ(comms.find(kNobody), "busy") << i;
    }
  }
  EXPECT_EQ(comms.find(kNobody + 1), "[device]");
  EXPECT_EQ(comms.find(kNobody + 1000000), "short");
  // one that still runs has its name again
  EXPECT_NE(comms.find(own), "[device]");
  EXPECT_NE(comms.find(own), "early");
}

}  // namespace
}  // namespace aiflame::record
