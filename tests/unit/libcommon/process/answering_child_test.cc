// SPDX-License-Identifier: MIT
#include "libcommon/process/answering_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <new>

#include "libcommon/process/sandbox.h"

namespace aiflame {
namespace {

// Does what the request says.
AnsweringChild::Answerer obey() {
  return [answered = 0](std::string_view request) mutable -> std::string {
    if (request == "crash") __builtin_trap();
    if (request == "throw") throw std::bad_alloc();
    if (request == "sleep")
      for (;;) pause();
    if (request == "loop")
      for (std::atomic<int> i = 0;; ++i) {
      }
    if (request == "nothing") return "";
    if (request == "much") return std::string(100000, 'x');
    return std::string(request) + std::to_string(++answered);
  };
}

TEST(AnsweringChild, AnswersInOneProcess) {
  AnsweringChild child(obey);
  EXPECT_EQ(child.ask("a"), "a1");
  EXPECT_EQ(child.ask(std::string("b\0c", 3)), std::string("b\0c2", 4));
  EXPECT_EQ(child.ask("much")->size(), AnsweringChild::kMaxMessage);
  const std::string longest(AnsweringChild::kMaxMessage, 'y');
  EXPECT_EQ(child.ask(longest), longest);
  EXPECT_EQ(child.ask(longest + "y"), std::nullopt);
  EXPECT_EQ(child.ask(""), std::nullopt);
  EXPECT_EQ(child.ask("d"), "d4");
}

TEST(AnsweringChild, ACrashCostsOneAnswer) {
  AnsweringChild child(obey);
  for (const char* bad : {"crash", "throw", "nothing"}) {
    EXPECT_EQ(child.ask("a"), "a1");
    EXPECT_EQ(child.ask(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(child.ask("a"), "a1");
}

TEST(AnsweringChild, OneThatAlwaysCrashesIsGivenUp) {
  AnsweringChild child(obey);
  for (unsigned i = 0; i < AnsweringChild::kMaxStarts; ++i) {
    EXPECT_FALSE(child.exhausted());
    EXPECT_EQ(child.ask("crash"), std::nullopt);
  }
  EXPECT_TRUE(child.exhausted());
  EXPECT_EQ(child.ask("a"), std::nullopt);
}

TEST(AnsweringChild, ItsTimeIsLimited) {
  AnsweringChild busy(obey, {.cpu_seconds = 1});
  EXPECT_EQ(busy.ask("loop"), std::nullopt);
  EXPECT_EQ(busy.ask("a"), "a1");
  AnsweringChild idle(obey, {.seconds = 1});
  EXPECT_EQ(idle.ask("sleep"), std::nullopt);
  EXPECT_EQ(idle.ask("a"), "a1");
}

// In a process of its own, since rights do not come back.
TEST(AnsweringChild, AnswersInASandboxWhereFilesAreClosed) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);
    Rights rights;
    rights.libraries = rights.children = true;
    drop_rights(rights);
    const auto can_read = [] {
      return std::string(std::ifstream("/etc/passwd").good() ? "yes" : "no");
    };
    AnsweringChild child([can_read] {
      const std::string prepared = can_read();
      return [can_read, prepared](std::string_view request) {
        if (request == "crash") __builtin_trap();
        return prepared + can_read();
      };
    });
    const bool landlock = child.ask("a") == "yesno";
    const bool seccomp = child.ask("a") == "yesyes";  // without Landlock files are readable
    const bool survives = !child.ask("crash") && child.ask("a");
    _exit((landlock || seccomp) && survives ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace aiflame
