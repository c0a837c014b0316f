// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/thread_numbers.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace aiflame::record {
namespace {

TEST(ThreadNumbers, TheInnermostIsTheLast) {
  bool nested = false;
  EXPECT_EQ(ThreadNumbers::innermost("NSpid:\t4711", nested), 4711u);
  EXPECT_FALSE(nested);
  EXPECT_EQ(ThreadNumbers::innermost("NSpid:\t4711\t17\t1", nested), 1u);
  EXPECT_TRUE(nested);
  EXPECT_EQ(ThreadNumbers::innermost("NStgid:\t4711\t1", nested), 0u);
  EXPECT_EQ(ThreadNumbers::innermost("NSpid:\t", nested), 0u);
  EXPECT_EQ(ThreadNumbers::innermost("NSpid:\tx", nested), 0u);
}

TEST(ThreadNumbers, WithoutANamespaceTheyStayAsTheyAre) {
  ThreadNumbers own(static_cast<uint32_t>(getpid()));
  const auto tid = static_cast<uint32_t>(syscall(SYS_gettid));
  EXPECT_EQ(own.outer(tid), tid);
  // an unknown number is believed: the thread may have ended
  EXPECT_EQ(own.outer(4000000), 4000000u);
}

}  // namespace
}  // namespace aiflame::record
