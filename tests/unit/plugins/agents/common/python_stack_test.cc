// SPDX-License-Identifier: MIT
// Right, wrong and endless chains of Python frames, and how they are put between native ones.
#include "plugins/agents/common/python_stack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace aiflame::agent {
namespace {

const PythonLayout& layout_311 = kPythonLayouts[0];
const PythonLayout& layout_312 = kPythonLayouts[1];
const PythonLayout& layout_313 = kPythonLayouts[2];

// A thread's objects, in memory of our own.
class Thread {
 public:
  explicit Thread(const PythonLayout& layout) : layout_(layout) {
    if (layout.thread_root != 0) put(thread_, layout.thread_frame, thread() + layout.thread_root);
  }
  uint64_t thread() const { return reinterpret_cast<uint64_t>(thread_); }

  // Outermost first: an interpreting C frame, and the functions in it.
  uint64_t begin_run() {
    uint64_t* at = take();
    if (layout_.frame_is_entry == 0) {
      put(at, layout_.frame_owner, kOwnedByCStack);
      link(at);
      if (layout_.thread_root != 0) begin_cframe();
    } else {
      begin_cframe();
      is_entry_ = true;
    }
    return layout_.frame_is_entry == 0 ? reinterpret_cast<uint64_t>(at) : cframe_;
  }
  uint64_t call() {
    uint64_t* at = take();
    if (layout_.frame_is_entry != 0) put(at, layout_.frame_is_entry, is_entry_);
    is_entry_ = false;
    return link(at);
  }
  template <typename T>
  static void put(uint64_t at, size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(at) + offset, &value, sizeof value);
  }

 private:
  template <typename T>
  static void put(uint64_t* at, size_t offset, T value) {
    put(reinterpret_cast<uint64_t>(at), offset, value);
  }
  uint64_t* take() {
    rooms_.push_back(std::make_unique<uint64_t[]>(10));
    return rooms_.back().get();
  }
  void begin_cframe() {
    const auto next = reinterpret_cast<uint64_t>(take());
    put(next, layout_.cframe_previous, cframe_ == 0 ? thread() + layout_.thread_root : cframe_);
    put(next, layout_.cframe_frame, last_);
    cframe_ = next;
    put(thread_, layout_.thread_frame, cframe_);
  }
  uint64_t link(uint64_t* at) {
    put(at, layout_.frame_previous, last_);
    last_ = reinterpret_cast<uint64_t>(at);
    if (layout_.thread_root == 0)
      put(thread_, layout_.thread_frame, last_);
    else if (cframe_ != 0)
      put(cframe_, layout_.cframe_frame, last_);
    return last_;
  }

  const PythonLayout& layout_;
  std::vector<std::unique_ptr<uint64_t[]>> rooms_;
  uint64_t thread_[64] = {};
  uint64_t cframe_ = 0, last_ = 0;
  bool is_entry_ = false;
};

class Chains : public testing::TestWithParam<const PythonLayout*> {};
INSTANTIATE_TEST_SUITE_P(Versions, Chains, testing::Values(&layout_311, &layout_312, &layout_313));

TEST_P(Chains, AThreadThatRunsNoPythonHasNoFrames) {
  const Thread thread(*GetParam());
  PythonFrames frames;
  EXPECT_TRUE(walk_chain(*GetParam(), thread.thread(), frames));
  EXPECT_EQ(frames.frame_count, 0u);
}

TEST_P(Chains, RunsEndAtTheirCFrames) {
  Thread thread(*GetParam());
  const uint64_t outer_run = thread.begin_run();
  const uint64_t module = thread.call(), main = thread.call();
  const uint64_t inner_run = thread.begin_run();
  const uint64_t callback = thread.call();
  PythonFrames frames;
  ASSERT_TRUE(walk_chain(*GetParam(), thread.thread(), frames));
  ASSERT_EQ(frames.frame_count, 3u);
  EXPECT_EQ(frames.frames[0], callback);
  EXPECT_EQ(frames.frames[1], main);
  EXPECT_EQ(frames.frames[2], module);
  ASSERT_EQ(frames.run_count, 2u);
  EXPECT_EQ(frames.runs[0].end, 1u);
  EXPECT_EQ(frames.runs[0].stack_address, inner_run);
  EXPECT_EQ(frames.runs[1].end, 3u);
  EXPECT_EQ(frames.runs[1].stack_address, outer_run);
  EXPECT_FALSE(frames.is_cut);
}

TEST_P(Chains, DeepOnesAreCutAtTheOuterEnd) {
  Thread thread(*GetParam());
  thread.begin_run();
  thread.call();
  const uint64_t run = thread.begin_run();
  uint64_t last = 0;
  for (int i = 0; i < 2000; ++i) last = thread.call();
  PythonFrames frames;
  ASSERT_TRUE(walk_chain(*GetParam(), thread.thread(), frames));
  EXPECT_TRUE(frames.is_cut);
  EXPECT_EQ(frames.frame_count, PythonFrames::kMax);
  EXPECT_EQ(frames.frames[0], last);
  ASSERT_EQ(frames.run_count, 1u);
  EXPECT_EQ(frames.runs[0].stack_address, run);
}

TEST_P(Chains, ManyRunsAreCut) {
  Thread thread(*GetParam());
  for (int i = 0; i < 600; ++i) {
    thread.begin_run();
    thread.call();
  }
  PythonFrames frames;
  ASSERT_TRUE(walk_chain(*GetParam(), thread.thread(), frames));
  EXPECT_TRUE(frames.is_cut);
}

TEST_P(Chains, ALoopFails) {
  Thread thread(*GetParam());
  thread.begin_run();
  const uint64_t first = thread.call(), last = thread.call();
  Thread::put(first, GetParam()->frame_previous, last);
  if (GetParam()->frame_is_entry != 0) Thread::put(first, GetParam()->frame_is_entry, false);
  PythonFrames frames;
  EXPECT_FALSE(walk_chain(*GetParam(), thread.thread(), frames));
}

TEST_P(Chains, AFrameThatIsNotThereFails) {
  for (const uint64_t nowhere : {uint64_t{1}, uint64_t{8}, UINT64_MAX, uint64_t{1} << 62}) {
    Thread thread(*GetParam());
    thread.begin_run();
    thread.call();
    const uint64_t last = thread.call();
    Thread::put(last, GetParam()->frame_previous, nowhere);
    PythonFrames frames;
    EXPECT_FALSE(walk_chain(*GetParam(), thread.thread(), frames));
    EXPECT_FALSE(walk_chain(*GetParam(), nowhere, frames));
  }
}

TEST_P(Chains, FramesOfNoCFrameFail) {
  Thread thread(*GetParam());
  thread.begin_run();
  const uint64_t first = thread.call();
  Thread::put(first, GetParam()->frame_previous, uint64_t{0});
  if (GetParam()->frame_is_entry != 0) Thread::put(first, GetParam()->frame_is_entry, false);
  PythonFrames frames;
  EXPECT_FALSE(walk_chain(*GetParam(), thread.thread(), frames));
}

// ---- between native ones ------------------------------------------------------------------------

constexpr uint64_t kEval = 0xe000;  // in the interpreter
bool is_interpreter(uint64_t pc) {
  return pc >= kEval;
}
uint64_t as_it_is(void*, uint64_t frame) {
  return frame;
}

struct Mix {
  // native frames at stack pointers 100, 200, …
  std::vector<uint64_t> native;
  PythonFrames python;
  bool native_cut = false;
  uint32_t capacity = 100;
  MixedFrames mixed;

  void run(const std::vector<uint64_t>& frames, uint64_t at) {
    for (const uint64_t frame : frames) python.frames[python.frame_count++] = frame;
    python.runs[python.run_count++] = {python.frame_count, at};
  }
  bool fits = false;
  std::vector<uint64_t> operator()(NumberFrame number = as_it_is) {
    std::vector<uint64_t> pointers, out(capacity);
    for (size_t i = 0; i < native.size(); ++i) pointers.push_back(100 * (i + 1));
    mixed = {out.data(), capacity, 0, false};
    fits = interleave({native.data(), pointers.data(), static_cast<int>(native.size()), native_cut},
                      python, number, nullptr, is_interpreter, mixed);
    out.resize(mixed.count);
    return out;
  }
};

using Frames = std::vector<uint64_t>;

TEST(Interleave, FunctionsStandBehindTheCFrameThatInterpretsThem) {
  Mix mix;
  mix.native = {1, kEval, 2, kEval, 3};
  mix.run({11, 12}, 250);
  mix.run({13}, 450);
  EXPECT_EQ(mix(), (Frames{1, kEval, 11, 12, 2, kEval, 13, 3}));
  EXPECT_TRUE(mix.fits);
  EXPECT_FALSE(mix.mixed.is_cut);
}

TEST(Interleave, WithoutPythonNothingChanges) {
  Mix mix;
  mix.native = {1, kEval, 2};
  EXPECT_EQ(mix(), (Frames{1, kEval, 2}));
  EXPECT_TRUE(mix.fits);
}

TEST(Interleave, ARunMayBeEmptyAndAFrameHidden) {
  Mix mix;
  mix.native = {kEval, kEval, 3};
  mix.run({}, 110);
  mix.run({11, 12}, 210);
  EXPECT_EQ(mix([](void*, uint64_t frame) { return frame == 11 ? 0 : frame; }),
            (Frames{kEval, kEval, 12, 3}));
}

TEST(Interleave, WhatTheWalkDidNotReachStandsAtTheEnd) {
  Mix mix;
  mix.native = {1, kEval, 2};
  mix.run({11}, 250);
  mix.run({12}, 10000);
  EXPECT_EQ(mix(), (Frames{1, kEval, 11, 2, 12}));
  mix.native_cut = true;  // then it is beyond the cut
  EXPECT_EQ(mix(), (Frames{1, kEval, 11, 2}));
  EXPECT_TRUE(mix.mixed.is_cut);
}

TEST(Interleave, ACFrameThatIsNotTheInterpretersFails) {
  Mix mix;
  mix.native = {1, 2, 3};
  mix.run({11}, 250);
  mix();
  EXPECT_FALSE(mix.fits);
}

TEST(Interleave, ARunBelowTheStackFails) {
  Mix mix;
  mix.native = {kEval, kEval, 3};
  mix.run({11}, 50);
  mix();
  EXPECT_FALSE(mix.fits);
  Mix backwards;
  backwards.native = {kEval, kEval, kEval, 3};
  backwards.run({11}, 250);
  backwards.run({12}, 150);
  backwards();
  EXPECT_FALSE(backwards.fits);
}

TEST(Interleave, TheOutermostAreCut) {
  Mix mix;
  mix.native = {1, kEval, 2};
  mix.run({11, 12, 13}, 250);
  mix.capacity = 4;
  EXPECT_EQ(mix(), (Frames{1, kEval, 11, 12}));
  EXPECT_TRUE(mix.mixed.is_cut);
}

}  // namespace
}  // namespace aiflame::agent
