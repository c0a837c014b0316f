// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/agent_reasons.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::record {
namespace {

TEST(AgentReasons, BelongToAProcess) {
  NameTable names;
  AgentReasons reasons;
  EXPECT_EQ(reasons.find(1, 1), 0u);
  reasons.add(1, 1, names, "wait");
  reasons.add(2, 1, names, "selected");
  reasons.add(3, 1, names, "");
  EXPECT_EQ(names.name(reasons.find(1, 1)), "wait");
  EXPECT_EQ(names.name(reasons.find(2, 1)), "selected");
  EXPECT_EQ(names.name(reasons.find(3, 1)), "[unknown]");
  EXPECT_EQ(names.name(reasons.find(1, 2)), "[unknown]");
  reasons.forget(1);
  EXPECT_EQ(names.name(reasons.find(1, 1)), "[unknown]");
  EXPECT_EQ(names.name(reasons.find(2, 1)), "selected");
}

TEST(AgentReasons, AnAgentCannotMakeUpNamesWithoutEnd) {
  NameTable names;
  AgentReasons reasons;
  for (uint32_t i = 0; i < 10000; ++i) reasons.add(i, 0, names, "r" + std::to_string(i));
  EXPECT_EQ(names.name(reasons.find(9, 0)), "r9");
  EXPECT_EQ(names.name(reasons.find(9999, 0)), "[unknown]");
}

}  // namespace
}  // namespace aiflame::record
