// SPDX-License-Identifier: MIT
#include "libcommon/parallel/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace aiflame {
namespace {

// The message of the exception that `work` throws; empty when it throws none.
template <typename Work>
std::string thrown_by(const Work& work) {
  try {
    work();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Parallel, DoesAllTheWorkOnce) {
  std::vector<std::atomic<int>> done(1000);
  in_parallel(done.size(), [&](size_t number) { ++done[number]; });
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(Parallel, DoesNothingForACountOfZero) {
  in_parallel(0, [](size_t) { FAIL(); });
}

TEST(Parallel, ThrowsTheFirstInOrder) {
  for (int round = 0; round < 50; ++round)
    EXPECT_EQ(thrown_by([] {
                in_parallel(100, [](size_t number) {
                  if (number >= 40) throw std::runtime_error(std::to_string(number));
                });
              }),
              "40");
}

TEST(Parallel, ThrowsWhatTheFirstThreadThrew) {
  std::atomic<int> called = 0;
  EXPECT_EQ(thrown_by([&] {
              in_threads(3, [&](size_t number) {
                ++called;
                throw std::runtime_error(std::to_string(number));
              });
            }),
            "0");
  EXPECT_GE(called, 1);
  EXPECT_LE(called, 3);
}

TEST(Parallel, WritesInOrder) {
  std::string written, expected;
  for (int number = 0; number < 500; ++number) expected += std::to_string(number) + "\n";
  write_in_order(
      500, [&](std::string_view text) { written += text; },
      [](size_t number, std::string& text) { text += std::to_string(number) + "\n"; });
  EXPECT_EQ(written, expected);
}

TEST(Parallel, WritesNothingFromAFailureOn) {
  std::string written;
  EXPECT_EQ(thrown_by([&] {
              write_in_order(
                  100, [&](std::string_view text) { written += text; },
                  [](size_t number, std::string& text) {
                    if (number == 7) throw std::runtime_error("seven");
                    text += std::to_string(number);
                  });
            }),
            "seven");
  // another thread may see the failure before it writes its text
  EXPECT_TRUE(std::string_view("0123456").starts_with(written));
}

TEST(Parallel, HasAtLeastOneWorkerAndNoMoreThanAskedFor) {
  EXPECT_GE(workers(), 1);
  EXPECT_EQ(workers(1), 1);
}

TEST(BackgroundThread, ThrowsWhenItIsJoined) {
  BackgroundThread thread([] { throw std::runtime_error("late"); });
  if (!thread.running()) GTEST_SKIP() << "one processor, or no thread to be had";
  EXPECT_EQ(thrown_by([&] { thread.join(); }), "late");
  EXPECT_FALSE(thread.running());
}

TEST(BackgroundThread, ItsDestructorWaitsForTheWork) {
  std::atomic<bool> done = false;
  bool running;
  {
    const BackgroundThread thread([&] { done = true; });
    running = thread.running();
  }
  EXPECT_EQ(done, running);
}

TEST(BackgroundThread, MayHoldNoThread) {
  BackgroundThread none;
  EXPECT_FALSE(none.running());
  none.join();
}

}  // namespace
}  // namespace aiflame
