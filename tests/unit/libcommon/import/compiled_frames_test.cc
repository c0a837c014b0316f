// SPDX-License-Identifier: MIT
#include "libcommon/import/compiled_frames.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

CompiledKernel kernel_of(std::vector<std::string> nodes, std::vector<ModelStack> stacks) {
  CompiledKernel out;
  out.nodes = std::move(nodes);
  out.stacks = std::move(stacks);
  return out;
}

std::string fused(const CompiledKernel& kernel) {
  const CompiledKernel* const one = &kernel;
  return compiled_frames({&one, 1}, {}).fused;
}

const ModelLine kOuter{"/a/net.py", "forward", 58}, kInner{"/a/net.py", "attend", 40};

TEST(CompiledFrames, HaveLinesWhateverTheRules) {
  const CompiledKernel kernel = kernel_of({"linear"}, {{kOuter, kInner}});
  const CompiledKernel* const one = &kernel;
  const CompiledFrames frames = compiled_frames({&one, 1}, {});
  EXPECT_EQ(frames.lines,
            (std::vector<std::string>{"py::forward:net.py:58", "py::attend:net.py:40"}));
  EXPECT_EQ(frames.fused, "");  // of one line
  EXPECT_EQ(compiled_frames({&one, 1}, {.full_paths = true}).lines[0], "py::forward:/a/net.py:58");
}

TEST(CompiledFrames, SayWhatWasFusedOfSeveralLines) {
  EXPECT_EQ(fused(kernel_of({"matmul", "softmax"}, {{kOuter, kInner}, {{"/a/net.py", "f", 39}}})),
            "[fused: matmul, softmax at net.py:39,40]");
  EXPECT_EQ(fused(kernel_of({}, {{kOuter}, {{"/b/loss.py", "f", 7}}})),
            "[fused: loss.py:7, net.py:58]");
  // without provenance
  EXPECT_EQ(fused(kernel_of({"matmul", "softmax"}, {})), "[fused: matmul, softmax]");
  EXPECT_EQ(fused(kernel_of({"a", "b", "c", "d", "e", "f", "g", "h"}, {})),
            "[fused: a, b, c, d, e, f and 2]");
  EXPECT_EQ(fused(kernel_of({}, {})), "");
}

TEST(CompiledFrames, OfSeveralKernelsHaveWhatTheyShare) {
  const CompiledKernel first = kernel_of({"a"}, {{kOuter, kInner}}),
                       second = kernel_of({"b"}, {{kOuter}});
  const CompiledKernel* const both[] = {&first, &second};
  const CompiledFrames frames = compiled_frames(both, {});
  EXPECT_EQ(frames.lines, std::vector<std::string>{"py::forward:net.py:58"});
  EXPECT_EQ(frames.fused, "");
}

TEST(IsFunctionOf, ComparesFunctionAndFile) {
  for (const char* frame : {"py::forward:net.py", "py::forward:net.py:22", "py::Net.forward:net.py",
                            "py::Net.forward:/a/net.py:22"})
    EXPECT_TRUE(is_function_of(frame, kOuter)) << frame;
  for (const char* frame : {"py::forward", "py::forward:other.py", "py::backward:net.py",
                            "forward:net.py", "py::forward_more:net.py", ""})
    EXPECT_FALSE(is_function_of(frame, kOuter)) << frame;
}

}  // namespace
}  // namespace aiflame
