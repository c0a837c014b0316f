// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/node_names.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(NodeNames, FunctionsHaveFileLineAndName) {
  EXPECT_EQ(parse_node_function("/a/model.py:40:attend"), (ModelLine{"/a/model.py", "attend", 40}));
  EXPECT_EQ(parse_node_function("C:\\a\\model.py:7:<lambda>"),
            (ModelLine{"C:\\a\\model.py", "<lambda>", 7}));
  for (const char* wrong :
       {"", ":", "::", "f:1:", ":1:f", "f:x:g", "f:-1:g", "model.py:40", "f::g"})
    EXPECT_FALSE(parse_node_function(wrong)) << wrong;
}

}  // namespace
}  // namespace aiflame::trace
