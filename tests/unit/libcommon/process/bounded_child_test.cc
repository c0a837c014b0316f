// SPDX-License-Identifier: MIT
#include "libcommon/process/bounded_child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <stdexcept>

#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

TEST(BoundedChild, ReturnsStatusAndOutput) {
  const ChildResult done = run_in_child(
      [] {
        EXPECT_EQ(write(STDOUT_FILENO, "hello", 5), 5);
        return 7;
      },
      {});
  EXPECT_EQ(done.status, 7);
  EXPECT_EQ(done.limit, ChildLimit::none);
  EXPECT_EQ(done.output, "hello");
}

TEST(BoundedChild, ACrashDoesNotReachTheParent) {
  EXPECT_EQ(run_in_child(
                []() -> int {
                  raise(SIGKILL);
                  return 0;
                },
                {})
                .status,
            ChildResult::kKilled);
  EXPECT_EQ(run_in_child([]() -> int { throw std::runtime_error("x"); }, {}).status, 126);
}

TEST(BoundedChild, ThatItWasKilledIsNotTakenForALimit) {
  const auto ended_by = [](int signal) {
    return run_in_child([signal]() -> int { return raise(signal); }, {}).limit;
  };
  EXPECT_EQ(ended_by(SIGKILL), ChildLimit::killed);
  EXPECT_EQ(ended_by(SIGXCPU), ChildLimit::time);
  EXPECT_EQ(ended_by(SIGSEGV), ChildLimit::none);
}

TEST(BoundedChild, EndsAtItsLimits) {
  EXPECT_EQ(run_in_child(
                [] {
                  for (std::atomic<int> i = 0;; ++i) {
                  }
                  return 0;
                },
                {.cpu_seconds = 1})
                .limit,
            ChildLimit::time);
  EXPECT_EQ(run_in_child(
                [] {
                  for (;;) pause();
                  return 0;
                },
                {.seconds = 1})
                .status,
            ChildResult::kKilled);
  const ChildResult loud = run_in_child(
      [] {
        const std::string text(100000, 'x');
        while (write(STDOUT_FILENO, text.data(), text.size()) > 0) {
        }
        return 0;
      },
      {.output = 1000000});
  EXPECT_EQ(loud.status, ChildResult::kKilled);
  EXPECT_EQ(loud.limit, ChildLimit::output);
  EXPECT_LT(loud.output.size(), 1200000u);
}

TEST(BoundedChild, RunsAProgram) {
  const MemoryFile file("some bytes");
  const ChildResult cat = run_in_child({"cat", "/dev/fd/3"}, file.descriptor(), {});
  EXPECT_EQ(cat.status, 0);
  EXPECT_EQ(cat.output, "some bytes");
  EXPECT_EQ(run_in_child({"/nonexistent/program"}, file.descriptor(), {}).status, 127);
}

}  // namespace
}  // namespace aiflame
