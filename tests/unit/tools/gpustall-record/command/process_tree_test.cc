// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/process_tree.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace aiflame::record {
namespace {

TEST(ProcessTree, AProcessIsBelowItsAncestors) {
  EXPECT_EQ(descent_of(getpid(), getpid()), Descent::below);
  EXPECT_EQ(descent_of(getpid(), getppid()), Descent::below);
  EXPECT_EQ(descent_of(getppid(), getpid()), Descent::elsewhere);
  EXPECT_EQ(descent_of(1, getpid()), Descent::elsewhere);
}

// It may name itself as it likes: the name stands in the file that is read.
TEST(ProcessTree, ANameCannotPretendAParent) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, "a) S 1 (b\n");
    const bool is_below = descent_of(getpid(), getppid()) == Descent::below;
    _exit(is_below && comm_of(getpid()) == "a) S 1 (b\n" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(descent_of(child, getpid()), Descent::gone);
  EXPECT_EQ(comm_of(child), "");
}

// Of a process that is just being released the kernel tells no parent. Such a moment comes in one
// of twenty of these.
TEST(ProcessTree, AProcessThatGoesIsNeverElsewhere) {
  for (int i = 0; i < 500; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    std::thread reaper([child] { waitpid(child, nullptr, 0); });
    Descent seen = Descent::below;
    while (seen == Descent::below) seen = descent_of(child, getpid());
    reaper.join();
    ASSERT_EQ(seen, Descent::gone) << i;
  }
}

TEST(ProcessTree, ProcessesBelowAreThoseThatRunAnotherProgram) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto start = [&](bool is_other) {
    const pid_t child = fork();
    if (child != 0) return child;
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    if (is_other) execlp("cat", "cat", nullptr);
    char byte = 0;
    [[maybe_unused]] const ssize_t n = read(ends[0], &byte, 1);
    _exit(0);
  };
  const pid_t copy = start(false), other = start(true), ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);  // it is a zombie now
  while (comm_of(other) != "cat") {
  }
  EXPECT_EQ(processes_below(getpid()), std::vector{other});
  close(ends[0]);
  close(ends[1]);
  for (const pid_t child : {copy, other, ended}) waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace aiflame::record
