// SPDX-License-Identifier: MIT
// Checks that the made-up frames have the form that they promise, since other tests rely on them.
#include "tests/fakes/jit_frames.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace aiflame {
namespace {

struct Frame {
  const Frame* caller;
  uintptr_t returns_to;
};

struct Call {
  const JitFrames& jit;
  size_t calls = 0;
  uintptr_t frame_pointer = 0;
  size_t frames = 0;  // found in the JIT's code by following frame pointers
};

extern "C" [[gnu::used]] void count_frames(Call* call, const Frame* frame) {
  ++call->calls;
  call->frames = 1;
  for (; call->jit.contains(frame->returns_to); frame = frame->caller) ++call->frames;
}

extern "C" [[gnu::used]] void note_frame_pointer(Call* call, uintptr_t frame_pointer) {
  ++call->calls;
  call->frame_pointer = frame_pointer;
}

// Callbacks that pass on the frame pointer as the made-up code left it.
#if defined(__aarch64__)
#define PASS_ON(function) "mov x1, x29\n\tb " function "\n"
#else
#define PASS_ON(function) "mov %rbp,%rsi\n\tjmp " function "\n"
#endif
#define CALLBACK(name, function)                                                    \
  extern "C" [[gnu::visibility("hidden")]] void name(void*);                        \
  asm(".pushsection .text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n" #name \
      ":\n\t" PASS_ON(#function) ".popsection")
CALLBACK(count_frames_callback, count_frames);
CALLBACK(note_frame_pointer_callback, note_frame_pointer);

TEST(JitFrames, AChainHasAsManyFramesAsAskedFor) {
  const JitFrames jit;
  for (size_t frames : {1u, 2u, 34u}) {
    Call call{jit};
    jit.call_through(frames, count_frames_callback, &call);
    EXPECT_EQ(call.calls, 1);
    EXPECT_EQ(call.frames, frames);
  }
}

TEST(JitFrames, CallsBackWithEveryWrongFramePointer) {
  const JitFrames jit;
  const WrongFramePointers wrong;
  std::set<uintptr_t> seen;
  for (const WrongFramePointers::Case& wrong_case : wrong.cases()) {
    SCOPED_TRACE(wrong_case.what);
    Call call{jit};
    jit.call_with_frame_pointer(wrong_case.value, note_frame_pointer_callback, &call);
    EXPECT_EQ(call.calls, 1);
    EXPECT_EQ(call.frame_pointer, wrong_case.value);
    EXPECT_TRUE(seen.insert(wrong_case.value).second) << "twice the same";
  }
}

TEST(JitFrames, ALoopIsItsOwnCallerAndReturns) {
  const JitFrames jit;
  Call call{jit};
  jit.call_in_loop(
      [](void* context) {
        auto* inner = static_cast<Call*>(context);
        inner->jit.call_in_loop(note_frame_pointer_callback, inner);
      },
      &call);
  EXPECT_EQ(call.calls, 1);
  EXPECT_NE(call.frame_pointer, 0);
}

extern "C" [[gnu::used]] void look_at_loop(Call* call, const Frame* frame) {
  ++call->calls;
  EXPECT_EQ(frame->caller, frame);
  EXPECT_TRUE(call->jit.contains(frame->returns_to));
}
CALLBACK(look_at_loop_callback, look_at_loop);

TEST(JitFrames, TheLoopsFrameNamesItself) {
  const JitFrames jit;
  Call call{jit};
  jit.call_in_loop(look_at_loop_callback, &call);
  EXPECT_EQ(call.calls, 1);
}

}  // namespace
}  // namespace aiflame
