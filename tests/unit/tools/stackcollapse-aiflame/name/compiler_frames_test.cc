// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/compiler_frames.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/memory/memory_file.h"

namespace aiflame::collapse {
namespace {

const std::string kWrapper = "c" + std::string(51, 'a') + ".py";
const std::string kCall = "py::Runner.call:" + kWrapper;

std::string folded(std::initializer_list<std::string> frames) {
  TextTable texts;
  texts.number("");
  std::vector<uint32_t> line;
  for (const std::string& frame : frames) line.push_back(texts.number(frame));
  const CompilerFrames compiler(texts);
  compiler.fold(line, 1);
  std::string out;
  for (const uint32_t frame : line) out.append(out.empty() ? "" : ";").append(texts.text(frame));
  return out;
}

TEST(CompilerFrames, AreOneWhereThereIsCompiledCode) {
  EXPECT_EQ(
      folded({"python3", "main", "py::step:train.py", "_PyEval_EvalFrameDefault", "[python3.12]",
              "py::compile_wrapper:eval_frame.py", "dynamo__custom_eval_frame",
              "py::Module._call_impl:module.py", "py::Net.forward:net.py",
              "py::call_func_at_runtime_with_args:utils.py", "THPFunction_apply",
              "py::CompiledFxGraph.__call__:/x/torch/_inductor/output_code.py:656", kCall,
              "py::CachingAutotuner.run:triton_heuristics.py", "py::launcher:<string>",
              "_PyEval_EvalFrameDefault", "launchKernel", "cuLaunchKernel"}),
      "python3;main;py::step:train.py;py::Net.forward:net.py;[compiled];launchKernel;"
      "cuLaunchKernel");
}

TEST(CompilerFrames, StayWhereThereIsNone) {
  EXPECT_EQ(folded({"python3", "py::step:train.py", "py::_compile:convert_frame.py",
                    "py::_fn:eval_frame.py", "launch"}),
            "python3;py::step:train.py;py::_compile:convert_frame.py;py::_fn:eval_frame.py;launch");
}

TEST(CompilerFrames, LeaveOutTheFunctionThatTheModelsLinesBeginWith) {
  EXPECT_EQ(
      folded({"python3", "py::step:train.py", "py::_fn:eval_frame.py", "py::Net.forward:net.py",
              "py::g:aot_autograd.py",
              "py::forward:net.py:58;py::attend:net.py:40;[compiled];[fused: a at net.py:1,2]",
              "py::launcher:<string>", "cuLaunchKernel"}),
      "python3;py::step:train.py;py::forward:net.py:58;py::attend:net.py:40;[compiled];"
      "[fused: a at net.py:1,2];cuLaunchKernel");
}

TEST(CompilerFrames, AGraphsTwoStacksAreFoldedEach) {
  EXPECT_EQ(
      folded({"python3", "py::step:train.py", "py::_fn:eval_frame.py", kCall,
              "py::run:cudagraph_trees.py", "py::CUDAGraph.replay:graphs.py", "cudaGraphLaunch",
              "[cuda graph]", "py::record:cudagraph_trees.py", "py::partition_0:" + kWrapper,
              "py::run:triton_heuristics.py", "cuLaunchKernel"}),
      "python3;py::step:train.py;[compiled];py::CUDAGraph.replay:graphs.py;cudaGraphLaunch;"
      "[cuda graph];[compiled];cuLaunchKernel");
  // a graph that other code has captured
  EXPECT_EQ(folded({"python3", "py::step:train.py", kCall, "cudaGraphLaunch", "[cuda graph]",
                    "py::forward:net.py", "cuLaunchKernel"}),
            "python3;py::step:train.py;[compiled];cudaGraphLaunch;[cuda graph];py::forward:net.py;"
            "cuLaunchKernel");
}

TEST(CompilerFrames, OfAPartitionTheInnermostWrapperCounts) {
  EXPECT_EQ(folded({"python3", kCall, "py::run:cudagraph_trees.py", "py::partition_0:" + kWrapper,
                    "cuLaunchKernel"}),
            "python3;[compiled];cuLaunchKernel");
}

TEST(CompiledLines, AreThoseOfTheKernelThatTheLineCalls) {
  const MemoryFile file(
      "V1127 04:05:52.835000 849 torch/x.py:1] {\"inductor_output_code\": "
      "{\"filename\": \"/tmp/aa/" +
      kWrapper +
      "\"}}\n"
      "\tdef call(args):\n"
      "\t    # [Provenance debug handles] extern_kernels.mm:3\n"
      "\t    extern_kernels.mm(a)\n"
      "V1127 04:05:52.835000 849 torch/x.py:1] {\"artifact\": {\"name\": "
      "\"inductor_provenance_tracking_kernel_stack_traces\"}}\n"
      "\t{\"extern_kernels.mm:3\": [\"  File \\\"/a/net.py\\\", line 23, in f\\n\"]}\n");
  CompiledCode code;
  code.read(file.path());
  const auto lines = [&](const std::string& line) { return compiled_lines(line, code, false); };
  EXPECT_EQ(lines("0 py::Runner.call:/tmp/aa/" + kWrapper + ":3 ([python])"),
            "py::f:net.py:23;[compiled]");
  EXPECT_EQ(lines("0 py::Runner.call:/tmp/aa/" + kWrapper + ":2 ([python])"), std::nullopt);
  EXPECT_EQ(lines("0 py::Runner.call:/tmp/aa/net.py:3 ([python])"), std::nullopt);
  EXPECT_EQ(lines("4011 main+0x1 (/a/app)"), std::nullopt);
}

}  // namespace
}  // namespace aiflame::collapse
