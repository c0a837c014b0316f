// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/compiler_part.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame::trace {
namespace {

const std::string kWrapper = "/tmp/aa/c" + std::string(51, 'a') + ".py(90): call";

TEST(CompilerPart, KnowsTheCompilersFunctions) {
  const auto part = [](std::string_view name) { return compiler_part(Kind::python, name); };
  EXPECT_EQ(part("/a/model.py(24): forward"), CompilerPart::none);
  EXPECT_EQ(part(kWrapper), CompilerPart::code);
  EXPECT_EQ(part("torch/_dynamo/eval_frame.py(1146): compile_wrapper"), CompilerPart::compiler);
  EXPECT_EQ(part("torch/_inductor/runtime/triton_heuristics.py(1): run"), CompilerPart::compiler);
  EXPECT_EQ(part("<string>(1): launcher"), CompilerPart::compiler);
  EXPECT_EQ(part("torch/nn/modules/module.py(1787): _call_impl"), CompilerPart::pytorch);
  EXPECT_EQ(part("<built-in function kernel>"), CompilerPart::pytorch);
  EXPECT_EQ(part("torch/_dynamo/convert_frame.py(9): __call__"), CompilerPart::compiling);
}

TEST(CompilerPart, KnowsItsOperatorsAndModules) {
  EXPECT_EQ(compiler_part(Kind::op, "Torch-Compiled Region: 0/0"), CompilerPart::compiler);
  EXPECT_EQ(compiler_part(Kind::op, "CompiledFunctionBackward"), CompilerPart::compiler);
  EXPECT_EQ(compiler_part(Kind::range, "## Call CompiledFxGraph fnf3 ##"), CompilerPart::code);
  EXPECT_EQ(compiler_part(Kind::op, "## Call CompiledFxGraph fnf3 ##"), CompilerPart::code);
  EXPECT_EQ(compiler_part(Kind::op, "aten::mm"), CompilerPart::none);
  EXPECT_EQ(compiler_part(Kind::module, "nn.Module: OptimizedModule_0"), CompilerPart::compiler);
  EXPECT_EQ(compiler_part(Kind::module, "nn.Module: Transformer_0"), CompilerPart::none);
}

}  // namespace
}  // namespace aiflame::trace
