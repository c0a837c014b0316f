// SPDX-License-Identifier: MIT
// Compares the agents' stack walker with libunwind, the reference, and tests it on stacks with
// wrong frame pointers.
#include "plugins/agents/common/unwind.h"

#include <gtest/gtest.h>
#define UNW_LOCAL_ONLY
#include <dirent.h>
#include <libunwind.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "libcommon/symbols/call_machine.h"
#include "tests/fakes/jit_frames.h"

namespace aiflame::agent {
namespace {

struct Both {
  std::vector<uint64_t> ours, theirs;
};

// Both walk from this frame. Their first frames differ: each is at its own call.
[[gnu::noinline]] Both walk_both() {
  Both out;
  uint64_t ours[256];
  void* theirs[256];
  bool cut = false;
  const int count = walk_stack(ours, 256, cut);
  const int reference = unw_backtrace(theirs, 256);
  out.ours.assign(ours, ours + count);
  for (int i = 0; i < reference; ++i) out.theirs.push_back(reinterpret_cast<uint64_t>(theirs[i]));
  return out;
}

// On AArch64, libunwind 1.6 gives the address before the one that a call returns to, but not where
// a signal interrupted.
uint64_t theirs_at(const Both& both, size_t i) {
  const uint64_t theirs = both.theirs[i];
  return kThisMachine.has_link_register() && theirs + 1 == both.ours[i] ? theirs + 1 : theirs;
}

void expect_same(const Both& both) {
  // frame 0 is in walk_both() itself, at the two calls
  ASSERT_GT(both.ours.size(), 2u);
  ASSERT_EQ(both.ours.size(), both.theirs.size());
  for (size_t i = 1; i < both.ours.size(); ++i) EXPECT_EQ(both.ours[i], theirs_at(both, i)) << i;
}

[[gnu::noinline]] Both deep(int levels) {
  [[maybe_unused]] volatile char room[40] = {};
  if (levels == 0) return walk_both();
  Both out = deep(levels - 1);
  room[levels % 40] = 1;
  return out;
}

TEST(Unwind, SameFramesAsLibunwind) {
  expect_same(walk_both());
}

TEST(Unwind, DeepStack) {
  expect_same(deep(34));
  expect_same(deep(100));
}

// Some of these functions have frames of the same size, so that a walk meets other functions where
// the preceding walk's frames were. Others have different sizes.
struct Path {
  uint64_t turns;  // two bits each
  int length;
};
Both wander(Path path);

template <int size>
[[gnu::noinline]] Both turn(Path path) {
  [[maybe_unused]] volatile char room[size] = {};
  Both out = wander({path.turns >> 2, path.length - 1});
  room[path.length % size] = 1;
  return out;
}

[[gnu::noinline]] Both turn_alike(Path path) {
  [[maybe_unused]] volatile char room[40] = {};
  Both out = wander({path.turns >> 2, path.length - 1});
  room[path.length % 40] = 2;
  return out;
}

[[gnu::noinline]] Both wander(Path path) {
  if (path.length == 0) return walk_both();
  switch (path.turns & 3) {
    case 0:
      return turn<40>(path);
    case 1:
      return turn_alike(path);
    case 2:
      return turn<200>(path);
    default:
      return turn<72>(path);
  }
}

TEST(Unwind, EarlierWalksDoNotChangeAWalk) {
  std::mt19937_64 random(1);
  Path path{random(), 20};
  for (int i = 0; i < 3000; ++i) {
    expect_same(wander(path));
    if (HasFatalFailure() || HasNonfatalFailure()) return;
    // one other turn, another depth, or a new path
    if (i % 3 == 0) path.turns ^= uint64_t{1} << random() % 40;
    if (i % 7 == 0) path.length = static_cast<int>(random() % 32);
    if (i % 50 == 0) path.turns = random();
  }
  // deeper than the walker remembers, and back
  for (const int levels : {150, 5, 140, 60, 150}) expect_same(deep(levels));
}

TEST(Unwind, ThreadGoesToItsStart) {
  Both both;
  std::thread([&] { both = deep(5); }).join();
  expect_same(both);
}

[[gnu::noinline]] Both with_alloca(size_t bytes) {
  auto* room = static_cast<volatile char*>(__builtin_alloca(bytes));
  room[0] = 1;
  Both out = deep(2);
  room[bytes - 1] = 2;
  return out;
}

TEST(Unwind, FramePointerFunctions) {
  expect_same(with_alloca(1000 + (rand() & 1)));
}

[[gnu::noinline]] Both realigned() {
  [[maybe_unused]] alignas(64) volatile double wide[8] = {};
  Both out = deep(1);
  wide[0] = 1;
  return out;
}

TEST(Unwind, RealignedStack) {
  expect_same(realigned());
}

// qsort calls back through libc, which has no frame pointers.
Both from_qsort;
int compare(const void*, const void*) {
  from_qsort = walk_both();
  return 0;
}

TEST(Unwind, ThroughLibc) {
  int values[2] = {1, 2};
  qsort(values, 2, sizeof values[0], compare);
  expect_same(from_qsort);
}

Both from_signal;
void on_signal(int) {
  from_signal = walk_both();
}

TEST(Unwind, ThroughSignalFrame) {
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  signal(SIGUSR1, SIG_DFL);
  expect_same(from_signal);
}

TEST(Unwind, CutAtCapacity) {
  uint64_t frames[3];
  bool cut = false;
  EXPECT_EQ(walk_stack(frames, 3, cut), 3);
  EXPECT_TRUE(cut);
}

int open_descriptors() {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

TEST(Unwind, OpensNothingAndKeepsErrno) {
  const int before = open_descriptors();
  uint64_t frames[64];
  bool cut = false;
  errno = 77;
  std::thread([&] { walk_stack(frames, 64, cut); }).join();
  walk_stack(frames, 64, cut);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(open_descriptors(), before);
}

// ---- code without tables -----------------------------------------------------------------------

struct Walk {
  std::vector<uint64_t> frames;
};

void walk_into(void* out) {
  uint64_t frames[256];
  bool cut = false;
  const int count = walk_stack(frames, 256, cut);
  static_cast<Walk*>(out)->frames.assign(frames, frames + count);
}

TEST(Unwind, CrossesCodeWithoutTables) {
  const JitFrames jit;
  for (const size_t depth : {1u, 2u, 34u}) {
    Walk walk;
    jit.call_through(depth, walk_into, &walk);
    size_t inside = 0;
    for (const uint64_t frame : walk.frames) inside += jit.contains(frame) ? 1 : 0;
    EXPECT_EQ(inside, depth);
    // the walk goes on after them to the start of the thread, as a walk from here does
    const Both here = walk_both();
    ASSERT_GT(walk.frames.size(), inside + 3);
    EXPECT_EQ(walk.frames.back(), here.ours.back());
    EXPECT_EQ(walk.frames[walk.frames.size() - 2], here.ours[here.ours.size() - 2]);
  }
}

TEST(Unwind, WrongFramePointersEndTheWalk) {
  const JitFrames jit;
  const WrongFramePointers wrong;
  ASSERT_GT(wrong.cases().size(), 10u);
  for (const auto& [what, value] : wrong.cases()) {
    Walk walk;
    jit.call_with_frame_pointer(value, walk_into, &walk);
    // the walk ends at the code with the wrong frame pointer; no frame is invented after it
    ASSERT_FALSE(walk.frames.empty()) << what;
    EXPECT_LE(walk.frames.size(), 3u) << what;
    EXPECT_TRUE(jit.contains(walk.frames.back())) << what;
  }
}

TEST(Unwind, AChainWithoutEndEnds) {
  const JitFrames jit;
  Walk walk;
  jit.call_in_loop(walk_into, &walk);
  EXPECT_LE(walk.frames.size(), 4u);
}

// %rbp points anywhere into the used stack, where other functions have their data.
TEST(Unwind, FramePointersIntoTheStackDoNotFault) {
  const JitFrames jit;
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (intptr_t offset = -4096; offset < 65536; offset += 4) {
    Walk walk;
    jit.call_with_frame_pointer(here + static_cast<uintptr_t>(offset), walk_into, &walk);
    EXPECT_LE(walk.frames.size(), 256u);
  }
}

// The same on a thread with a short stack: memory past its end must not be read.
TEST(Unwind, FramePointersBeyondAThreadsStackDoNotFault) {
  std::thread([] {
    const JitFrames jit;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    for (uintptr_t offset = 0; offset < (1 << 21); offset += 504) {
      Walk walk;
      jit.call_with_frame_pointer(here + offset, walk_into, &walk);
      EXPECT_LE(walk.frames.size(), 256u);
    }
  }).join();
}

// ---- coroutines --------------------------------------------------------------------------------

struct OnAStack {
  const JitFrames* jit;
  uintptr_t frame_pointer;
  ucontext_t back, there;
};
OnAStack* on_a_stack;

void walk_there() {
  Walk walk;
  on_a_stack->jit->call_with_frame_pointer(on_a_stack->frame_pointer, walk_into, &walk);
}

// Walks from code without tables that has `frame_pointer` in %rbp, on the stack [base, base +
// bytes).
void walk_on(std::byte* base, size_t bytes, const JitFrames& jit, std::byte* frame_pointer) {
  OnAStack call{&jit, reinterpret_cast<uintptr_t>(frame_pointer), {}, {}};
  on_a_stack = &call;
  getcontext(&call.there);
  call.there.uc_stack.ss_sp = base;
  call.there.uc_stack.ss_size = bytes;
  call.there.uc_link = &call.back;
  makecontext(&call.there, walk_there, 0);
  swapcontext(&call.back, &call.there);
  on_a_stack = nullptr;
}

constexpr size_t kStack = 65536, kGuard = 65536;  // whole pages of any size

std::byte* map_memory(size_t bytes) {
  void* made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(made, MAP_FAILED);
  return static_cast<std::byte*>(made);
}

// Two stacks close together: the guard page between them belongs to neither.
TEST(Unwind, AGuardPageBetweenStacksIsNotRead) {
  const JitFrames jit;
  std::byte* low = map_memory(2 * kStack + kGuard);
  std::byte* guard = low + kStack;
  std::byte* high = guard + kGuard;
  ASSERT_EQ(mprotect(guard, kGuard, PROT_NONE), 0);
  walk_on(high, kStack, jit, high + kStack - 256);
  walk_on(low, kStack, jit, guard + 512);
  munmap(low, 2 * kStack + kGuard);
}

// A stack is given back, and a smaller one takes its place.
TEST(Unwind, AFormerStackIsNotRead) {
  const JitFrames jit;
  std::byte* base = map_memory(2 * kStack);
  walk_on(base, 2 * kStack, jit, base + 2 * kStack - 256);
  walk_on(base, kStack, jit, base + 2 * kStack - 256);
  ASSERT_EQ(mprotect(base + kStack, kStack, PROT_NONE), 0);
  walk_on(base, kStack, jit, base + 2 * kStack - 256);
  munmap(base, 2 * kStack);
}

}  // namespace
}  // namespace aiflame::agent
