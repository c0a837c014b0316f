// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/onnx_nodes.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(OnnxNodes, KernelsNameTheirNodeOrFollowIt) {
  Event kernel;
  kernel.clear();
  OnnxNodes nodes;
  EXPECT_EQ(nodes.node_of(kernel), Event::kNone);
  const uint64_t first = nodes.add("a"), second = nodes.add("b");
  EXPECT_EQ(nodes.node_of(kernel), second);
  kernel.text(TextArg::onnx_parent) = "a";
  EXPECT_EQ(nodes.node_of(kernel), first);
  kernel.text(TextArg::onnx_parent) = "c";
  EXPECT_EQ(nodes.node_of(kernel), Event::kNone);
  EXPECT_EQ(onnx_node_name("/conv/Conv_kernel_time"), "/conv/Conv");
}

}  // namespace
}  // namespace aiflame::trace
