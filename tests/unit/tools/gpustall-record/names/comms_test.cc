// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/comms.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace aiflame::record {
namespace {

constexpr uint32_t kNobody = 1 << 23;  // no process has such a number

TEST(Comms, TheFirstNameHoldsUntilTheProgramEnds) {
  Comms comms;
  EXPECT_EQ(comms.find(kNobody, 10), "[device]");
  comms.set_if_unknown(kNobody, 10, "launcher");
  comms.set_if_unknown(kNobody, 20, "worker");
  EXPECT_EQ(comms.find(kNobody, 30), "launcher");
  // an exec, or another process with its number
  comms.end_program(kNobody, 40);
  EXPECT_EQ(comms.find(kNobody, 50), "launcher");
  comms.set_if_unknown(kNobody, 60, "worker");
  EXPECT_EQ(comms.find(kNobody, Comms::kNow), "worker");
  comms.set_if_unknown(kNobody, 70, "other");
  EXPECT_EQ(comms.find(kNobody, 80), "worker");
  // what is written late has the name of its time
  EXPECT_EQ(comms.find(kNobody, 39), "launcher");
  EXPECT_EQ(comms.find(kNobody, 40), "worker");
}

// The source tells the time of an exec, and the new program's agent comes a while after it.
TEST(Comms, AnExecIsToldTwice) {
  Comms comms;
  comms.set(kNobody, 10, "sh");
  comms.set(kNobody, 20, "app");
  comms.end_program(kNobody, 30);
  comms.set_if_unknown(kNobody, 30, "app");
  EXPECT_EQ(comms.find(kNobody, 19), "sh");
  for (const uint64_t time : {20U, 29U, 30U, 31U}) EXPECT_EQ(comms.find(kNobody, time), "app");
  // the agent first
  comms.end_program(kNobody, 50);
  comms.set_if_unknown(kNobody, 50, "next");
  comms.set(kNobody, 45, "next");
  EXPECT_EQ(comms.find(kNobody, 44), "app");
  EXPECT_EQ(comms.find(kNobody, 45), "next");
  EXPECT_EQ(comms.find(kNobody, 51), "next");
}

TEST(Comms, AProcessWithoutEndOfPrograms) {
  Comms comms;
  for (uint64_t i = 1; i <= 1000; ++i) comms.set(kNobody, 10 * i, "program" + std::to_string(i));
  EXPECT_EQ(comms.find(kNobody, 10000), "program1000");
  EXPECT_EQ(comms.find(kNobody, 9999), "program999");
  EXPECT_EQ(comms.find(kNobody, 9970), "program997");
  EXPECT_EQ(comms.find(kNobody, 10), "program997");  // the oldest that is kept
}

TEST(Comms, AProgramThatEndedHasNoNameInProc) {
  Comms comms;
  comms.set(kNobody, 10, "ended");
  comms.end_program(kNobody, 20);
  comms.set_from_proc(kNobody, 30);
  EXPECT_EQ(comms.find(kNobody, 40), "ended");
}

// A machine may start any number of processes, of whose ends nobody tells.
TEST(Comms, AMillionProcessesTakeBoundedRoom) {
  Comms comms;
  const auto own = static_cast<uint32_t>(getpid());
  comms.set(own, 1, "early");
  comms.set(kNobody, 1, "busy");
  for (uint32_t i = 1; i <= 1000000; ++i) {
    comms.set(kNobody + i, 1, "short");
    if (i % 1000 == 0) {
      ASSERT_EQ(comms.find(kNobody, 2), "busy") << i;
    }
  }
  EXPECT_EQ(comms.find(kNobody + 1, 2), "[device]");
  EXPECT_EQ(comms.find(kNobody + 1000000, 2), "short");
  // one that still runs has its name again
  EXPECT_NE(comms.find(own, Comms::kNow), "[device]");
  EXPECT_NE(comms.find(own, Comms::kNow), "early");
}

}  // namespace
}  // namespace aiflame::record
