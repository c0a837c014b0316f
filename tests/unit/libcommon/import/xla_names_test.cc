// SPDX-License-Identifier: MIT
#include "libcommon/import/xla_names.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

size_t frames_of(const ImportedStacks& stacks, uint32_t stack) {
  size_t out = 0;
  for (; stack != ImportedStacks::kEmpty; stack = stacks.below(stack)) ++out;
  return out;
}

TEST(XlaNames, AnOperatorStandsOnItsScopes) {
  ImportedStacks stacks;
  const uint32_t stack = with_operator_path(ImportedStacks::kEmpty, "jit(f)//mlp/dot", stacks);
  EXPECT_EQ(stacks.text(stacks.frame_of(stack)), "dot_[o]");
  EXPECT_EQ(stacks.text(stacks.frame_of(stacks.below(stack))), "mlp_[m]");
  EXPECT_EQ(frames_of(stacks, stack), 3U);
  EXPECT_EQ(with_operator_path(ImportedStacks::kEmpty, "", stacks), ImportedStacks::kEmpty);
}

TEST(XlaNames, APathOfAThousandPartsIsCut) {
  ImportedStacks stacks;
  std::string path;
  for (int i = 0; i < 1000; ++i) path += "a/";
  EXPECT_EQ(frames_of(stacks, with_operator_path(ImportedStacks::kEmpty, path, stacks)), 501U);
}

TEST(XlaNames, FunctionsOfPython) {
  EXPECT_EQ(xla_python_frame("$train.py:12 step", {}), "py::step:train.py");
  EXPECT_EQ(xla_python_frame("$<string>:1 <module>", {.lines = true}), "py::<module>:<string>:1");
  EXPECT_EQ(xla_python_frame("$builtins isinstance", {}), "py::builtins isinstance");
  EXPECT_EQ(xla_python_frame("ExecuteThunks", {}), "");
}

}  // namespace
}  // namespace aiflame
