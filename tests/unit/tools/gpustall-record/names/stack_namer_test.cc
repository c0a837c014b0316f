// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/stack_namer.h"

#include <gtest/gtest.h>

#include <string>

#include "plugins/abi/agent_channel.h"

namespace aiflame::record {
namespace {

// Above the highest possible process number (PID_MAX_LIMIT), so /proc has nothing about it.
constexpr uint32_t kPid = (1 << 22) + 1;

// Stacks of functions that have names and no addresses, like Python's.
class StackNamerTest : public testing::Test {
 protected:
  uint64_t function(const std::string& name, uint32_t line = 1) {
    const uint64_t id = AGENT_TEXT_FRAME | ++functions_;
    python_frames_.add(kPid, id, name, "a.py", line);
    return id;
  }
  // The symbols, leaf first.
  std::string name(const AgentListener::Stack& stack) {
    std::string out;
    for (const GpustallFrame* frame : namer_.name_frames(kPid, stack)) out += frame->symbol + " ";
    return out;
  }

  Budgets budgets_;
  CpuNames cpu_names_{budgets_};
  PythonFrames python_frames_{budgets_};
  StackNamer namer_{cpu_names_, python_frames_, budgets_};

 private:
  uint64_t functions_ = 0;
};

TEST_F(StackNamerTest, FramesLeafFirst) {
  AgentListener::Stack stack;
  stack.frames = {function("leaf"), function("main")};
  EXPECT_EQ(name(stack), "py::leaf:a.py:1 py::main:a.py:1 ");
}

TEST_F(StackNamerTest, AnUnknownLeafIsLeftOut) {
  AgentListener::Stack stack;
  stack.frames = {0, function("main")};
  EXPECT_EQ(name(stack), "py::main:a.py:1 ");
}

TEST_F(StackNamerTest, TheFunctionThatWasEnteredIsInFront) {
  AgentListener::Stack stack;
  stack.front = {{"cudaLaunchKernel", "[cuda]"}};
  stack.frames = {function("main")};
  EXPECT_EQ(name(stack), "cudaLaunchKernel py::main:a.py:1 ");
}

TEST_F(StackNamerTest, TheFunctionThatWasEnteredIsTakenFromTheStackIfItIsThere) {
  AgentListener::Stack stack;
  stack.front = {{"py::launch:a.py:1", "[cuda]"}};
  stack.frames = {function("inside"), function("launch"), function("main")};
  EXPECT_EQ(name(stack), "py::launch:a.py:1 py::main:a.py:1 ");
}

TEST_F(StackNamerTest, TheStackOfTheAppendIsJoinedWithoutTheSharedCallers) {
  AgentListener::Stack stack;
  stack.frames = {function("submit"), function("frame", 9), function("main")};
  stack.appended = {function("record"), function("frame", 5), function("main")};
  // `frame` calls both, from different lines
  EXPECT_EQ(name(stack),
            "py::record:a.py:1 py::frame:a.py:5 [command list] "
            "py::submit:a.py:1 py::frame:a.py:9 py::main:a.py:1 ");
}

TEST_F(StackNamerTest, CallersAreSharedAcrossLinesUpToWhereBothStacksPart) {
  AgentListener::Stack stack;
  stack.frames = {function("submit"), function("frame", 9), function("main", 2)};
  stack.appended = {function("record"), function("frame", 9), function("main", 1)};
  EXPECT_EQ(name(stack),
            "py::record:a.py:1 [command list] "
            "py::submit:a.py:1 py::frame:a.py:9 py::main:a.py:2 ");
}

TEST_F(StackNamerTest, TheCaptureOfAGraphsNodeHasAFunctionThatWasEnteredToo) {
  AgentListener::Stack stack;
  stack.front = {{"cudaLaunchKernel", "[cuda]"},
                 {"layer 3", "[nvtx]"},
                 {"[cuda graph]", "[cuda]"},
                 {"cudaGraphLaunch", "[cuda]"}};
  stack.frames = {0, function("replay"), function("main")};
  stack.appended = {0, function("forward"), function("capture"), function("main")};
  EXPECT_EQ(name(stack),
            "cudaLaunchKernel layer 3 py::forward:a.py:1 py::capture:a.py:1 [cuda graph] "
            "cudaGraphLaunch py::replay:a.py:1 py::main:a.py:1 ");
}

TEST_F(StackNamerTest, TheFramesOfAllStacksAreStoredOnce) {
  AgentListener::Stack stack;
  stack.frames = {function("leaf"), function("main")};
  const StackNamer::Frames first = namer_.name_frames(kPid, stack);
  EXPECT_EQ(namer_.name_frames(kPid, stack), first);
}

}  // namespace
}  // namespace aiflame::record
