// SPDX-License-Identifier: MIT
#include "plugins/agents/common/thread_room.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>

#include "plugins/agents/common/busy.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/common/unwind.h"

namespace aiflame::agent {
namespace {

TEST(ThreadRoom, IsTheThreadsOwn) {
  const ThreadRoom* mine = thread_room();
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(thread_room(), mine);
  EXPECT_EQ(current_tid(), static_cast<uint32_t>(gettid()));
  std::thread([mine] {
    pthread_setname_np(pthread_self(), "other");
    ASSERT_NE(thread_room(), mine);
    EXPECT_EQ(current_tid(), static_cast<uint32_t>(gettid()));
    EXPECT_STREQ(thread_room()->comm, "other");
  }).join();
}

TEST(ThreadRoom, IsTakenOverFromThreadsThatAreGone) {
  std::set<const ThreadRoom*> rooms;
  for (int i = 0; i < 200; ++i)
    std::thread([&rooms] {
      ThreadRoom* room = thread_room();
      rooms.insert(room);
      // as a new one
      EXPECT_EQ(room->used, 0u);
      EXPECT_EQ(room->kept[0], 0);
      EXPECT_FALSE(room->walk.is_in_use);
      room->used = 100;
      room->kept[0] = 1;
      room->walk.is_in_use = true;
    }).join();
  EXPECT_LT(rooms.size(), 20u);
}

TEST(ThreadRoom, OfAForkedThreadIsKept) {
  ThreadRoom* mine = thread_room();
  const pid_t child = fork();
  if (child == 0) {
    process_generation.fetch_add(1);  // as begin_report() does
    // before the forked thread itself asks for its room
    bool is_taken = false;
    for (int i = 0; i < 20; ++i)
      std::thread([&] { is_taken = is_taken || thread_room() == mine; }).join();
    const bool is_mine = thread_room() == mine && current_tid() == static_cast<uint32_t>(gettid());
    _exit(is_mine && !is_taken ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(OffStack, IsGivenBackInTurn) {
  struct Large {
    char bytes[30000];
  };
  const uint32_t before = thread_room()->used;
  {
    const OffStack<Large> one, two, three, four;
    ASSERT_TRUE(one && two && three);
    EXPECT_FALSE(four);
    std::memset(one->bytes, 1, sizeof one->bytes);
    std::memset(two->bytes, 2, sizeof two->bytes);
    EXPECT_EQ(one->bytes[sizeof one->bytes - 1], 1);
  }
  EXPECT_EQ(thread_room()->used, before);
}

TEST(Busy, WithinLocks) {
  pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
  EXPECT_FALSE(is_busy());
  {
    const Lock one(outer);
    {
      const Lock other(inner);
      EXPECT_TRUE(is_busy());
    }
    EXPECT_TRUE(is_busy());
    std::thread([] { EXPECT_FALSE(is_busy()); }).join();
  }
  EXPECT_FALSE(is_busy());
}

bool seen_in_handler = false;
void walk_in_handler(int) {
  uint64_t frames[64];
  bool cut = false;
  walk_stack(frames, 64, cut, nullptr, &seen_in_handler);
}

TEST(Unwind, TellsThatItIsInAHandler) {
  uint64_t frames[64];
  bool cut = false, in_handler = false;
  walk_stack(frames, 64, cut, nullptr, &in_handler);
  EXPECT_FALSE(in_handler);
  for (const int flags : {0, SA_ONSTACK}) {
    static char room[64 << 10];
    const stack_t alternate{room, 0, sizeof room};
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&alternate, nullptr);
    struct sigaction action {
    }, before{};
    action.sa_handler = walk_in_handler;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, &before);
    seen_in_handler = false;
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, nullptr);
    sigaltstack(&none, nullptr);
    EXPECT_TRUE(seen_in_handler) << flags;
  }
}

}  // namespace
}  // namespace aiflame::agent
