// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/python_frames.h"

#include <gtest/gtest.h>

namespace aiflame::record {
namespace {

TEST(PythonFrames, BecomeFramesOfGpustall) {
  Budgets budgets;
  PythonFrames frames(budgets);
  frames.add(7, 1, "Model.forward", "/x.py", 12);
  frames.add(7, 2, "f", "<string>", 0);
  const GpustallFrame frame = frames.frame(7, 1);
  EXPECT_EQ(frame.symbol, "py::Model.forward:/x.py:12");
  EXPECT_EQ(frame.object, "[python]");
  EXPECT_EQ(frame.address, 0u);
  EXPECT_EQ(frame.offset, GpustallFrame::kNoOffset);
  EXPECT_EQ(frames.frame(7, 2).symbol, "py::f:<string>:?");
  EXPECT_EQ(without_line("py::f:/x.py:12"), "py::f:/x.py");
}

TEST(PythonFrames, BelongToAProcess) {
  Budgets budgets;
  PythonFrames frames(budgets);
  frames.add(7, 1, "f", "/x.py", 1);
  EXPECT_EQ(frames.frame(8, 1).symbol, "[unknown]");
  EXPECT_EQ(frames.frame(7, 2).symbol, "[unknown]");
  frames.forget(8);
  EXPECT_EQ(frames.frame(7, 1).symbol, "py::f:/x.py:1");
  frames.forget(7);
  EXPECT_EQ(frames.frame(7, 1).symbol, "[unknown]");
}

TEST(PythonFrames, AreValidUtf8) {
  Budgets budgets;
  PythonFrames frames(budgets);
  frames.add(7, 1, "gr\xc3\xbc\xc3\x9f", "/\xff\xc3/\xef\xbf\xbd", 1);
  EXPECT_EQ(frames.frame(7, 1).symbol, "py::gr\xc3\xbc\xc3\x9f:/?\?/\xef\xbf\xbd:1");
}

// A hostile process may report functions without end.
TEST(PythonFrames, AreNotKeptWithoutBound) {
  Budgets budgets;
  PythonFrames frames(budgets);
  const std::string file(4000, 'x');
  uint64_t kept = 0;
  for (uint64_t id = 0; id < 10000; ++id) {
    frames.add(7, id, "f", file, 1);
    if (frames.frame(7, id).symbol != "[unknown]") ++kept;
  }
  EXPECT_GT(kept, 2000u);
  EXPECT_LT(kept, 8000u);
  frames.forget(7);
  frames.add(8, 1, "f", file, 1);
  EXPECT_NE(frames.frame(8, 1).symbol, "[unknown]");
}

}  // namespace
}  // namespace aiflame::record
