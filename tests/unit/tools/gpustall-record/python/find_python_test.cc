// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/find_python.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace aiflame::record {
namespace {

// A program that runs until the test ends it, and has written a byte.
class Running {
 public:
  explicit Running(std::vector<const char*> command) {
    int ends[2];
    if (pipe(ends) != 0) return;
    command.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], 1);
      execvp(command[0], const_cast<char**>(command.data()));
      _exit(127);
    }
    close(ends[1]);
    char byte = 0;
    is_there_ = read(ends[0], &byte, 1) == 1;
    close(ends[0]);
  }
  ~Running() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  bool is_there() const { return is_there_; }
  uint32_t pid() const { return static_cast<uint32_t>(pid_); }

 private:
  pid_t pid_ = -1;
  bool is_there_ = false;
};

TEST(FindPython, OfARunningInterpreter) {
  const Running python(
      {"/usr/bin/python3.11", "-c", "import os, time; os.write(1, b'x'); time.sleep(600)"});
  if (!python.is_there()) GTEST_SKIP() << "no Python 3.11 is installed";
  const Python found = FindPython().look(python.pid());
  ASSERT_EQ(found.state, Python::State::known);
  EXPECT_EQ(found.version >> 16, 0x030bu);
  EXPECT_EQ(found.layout->version, 0x030bu);
  EXPECT_LT(found.eval_begin, found.eval_end);
  EXPECT_NE(found.interpreters, 0u);
}

TEST(FindPython, NoneInAnotherProgram) {
  const Running shell({"sh", "-c", "echo x; exec sleep 600"});
  ASSERT_TRUE(shell.is_there());
  EXPECT_EQ(FindPython().look(shell.pid()).state, Python::State::none);
}

TEST(FindPython, NoneInAProcessThatHasEnded) {
  uint32_t pid = 0;
  {
    const Running shell({"sh", "-c", "echo x; exec sleep 600"});
    pid = shell.pid();
  }
  EXPECT_EQ(FindPython().look(pid).state, Python::State::none);
}

TEST(FindPython, FilesThatMayBeAnInterpreter) {
  for (const char* path : {"/usr/bin/python3.11", "/opt/x/lib/libpython3.12.so.1.0", "python"})
    EXPECT_TRUE(may_be_python(path)) << path;
  for (const char* path : {"/usr/lib/python3/dist-packages/x.so", "/bin/sh", "", "[vdso]"})
    EXPECT_FALSE(may_be_python(path)) << path;
}

}  // namespace
}  // namespace aiflame::record
