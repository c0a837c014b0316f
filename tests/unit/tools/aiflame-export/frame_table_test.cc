// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/frame_table.h"

#include <gtest/gtest.h>

namespace aiflame::exporter {
namespace {

std::string place(std::string_view frame) {
  const SourcePlace found = source_place(frame);
  return std::string(found.file) + " " + std::to_string(found.line);
}

TEST(SourcePlace, IsThatOfPythonAndDeviceFrames) {
  EXPECT_EQ(place("py::step:train.py:41"), "train.py 41");
  EXPECT_EQ(place("py::step:train.py"), "train.py 0");
  EXPECT_EQ(place("py::step"), " 0");
  EXPECT_EQ(place("matmul.cl:12_[G]"), "matmul.cl 12");
  EXPECT_EQ(place("matmul.cl_[G]"), "matmul.cl 0");
  EXPECT_EQ(place("std::f:3"), " 0");
  EXPECT_EQ(place("k_[G]"), " 0");
}

TEST(FrameTable, MakesTextsPrintable) {
  FrameTable table;
  EXPECT_EQ(table.text(table.number("\xff")), "\\377");
  EXPECT_EQ(table.text(table.number("")), "[unknown]");
  EXPECT_EQ(table.number("a"), table.number("a"));
  EXPECT_EQ(table.role(table.number("sbid_[g]")), FrameRole::reason);
}

TEST(UsedFrames, CountInTheOrderOfUse) {
  FrameTable table;
  const uint32_t a = table.number("a"), b = table.number("b");
  UsedFrames used(table);
  EXPECT_EQ(used.number(b), 0u);
  EXPECT_EQ(used.number(a), 1u);
  EXPECT_EQ(used.number(b), 0u);
  EXPECT_EQ(used.size(), 2u);
  EXPECT_EQ(used.text(1), "a");
}

}  // namespace
}  // namespace aiflame::exporter
