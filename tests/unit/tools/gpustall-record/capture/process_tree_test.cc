// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/process_tree.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

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

}  // namespace
}  // namespace aiflame::record
