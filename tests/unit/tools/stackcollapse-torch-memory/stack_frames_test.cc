// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/stack_frames.h"

#include <gtest/gtest.h>

namespace aiflame::torch_memory {
namespace {

TEST(TorchMemoryFrames, Kinds) {
  EXPECT_EQ(frame_kind("step", "/a/train.py", 3), FrameKind::python);
  EXPECT_EQ(frame_kind("<module>", "<string>", 1), FrameKind::python);
  EXPECT_EQ(frame_kind("forward", "<eval_with_key>.12", 7), FrameKind::python);
  EXPECT_EQ(frame_kind("main", "/usr/bin/torchrun", 8), FrameKind::python);
  EXPECT_EQ(
      frame_kind("std::function<void ()>::operator()() const", "/usr/include/c++/13/functional", 9),
      FrameKind::native);
  EXPECT_EQ(frame_kind("at::_ops::mm::call(at::Tensor const&)", "??", 0), FrameKind::native);
  EXPECT_EQ(frame_kind("at::empty_cpu(long)", "/b/Empty.cpp", 40), FrameKind::native);
  EXPECT_EQ(frame_kind("torch::unwind::unwind()", "??", 0), FrameKind::noise);
  EXPECT_EQ(frame_kind("at::_ops::mm::redispatch(c10::DispatchKeySet)", "??", 0), FrameKind::noise);
  EXPECT_EQ(frame_kind("_PyEval_EvalFrameDefault", "??", 0), FrameKind::noise);
  EXPECT_EQ(frame_kind("PyTorch::run()", "??", 0), FrameKind::native);
  EXPECT_EQ(frame_kind("torch::autograd::Engine::thread_init(int)", "??", 0), FrameKind::autograd);
}

// Stacks of a snapshot, whose frames are given innermost first.
class TorchMemoryStacks : public ::testing::Test {
 protected:
  uint32_t stack(const std::vector<std::pair<std::string, std::string>>& frames) {
    std::vector<uint32_t> numbers;
    for (const auto& [name, file] : frames)
      numbers.push_back(
          snapshot_.frames.number({snapshot_.texts.number(name), snapshot_.texts.number(file), 5}));
    return snapshot_.stacks.number(numbers);
  }
  std::string folded(uint32_t number) {
    StackFrames frames(snapshot_, settings_, stacks_);
    std::string out;
    for (uint32_t at = frames.on(ImportedStacks::kEmpty, number); at != ImportedStacks::kEmpty;
         at = stacks_.below(at))
      out = std::string(stacks_.text(stacks_.frame_of(at))) + (out.empty() ? "" : ";") + out;
    return out;
  }

  Snapshot snapshot_;
  Settings settings_;
  ImportedStacks stacks_;
};

TEST_F(TorchMemoryStacks, PythonAloneWhereThereIsAny) {
  const uint32_t mixed = stack({{"torch::unwind::unwind()", "??"},
                                {"at::mm(at::Tensor const&)", "??"},
                                {"step", "/a/train.py"},
                                {"_start", "??"},
                                {"<module>", "/a/train.py"}});
  EXPECT_EQ(folded(mixed), "py::<module>:train.py;py::step:train.py");
  settings_.native = true;
  EXPECT_EQ(folded(mixed), "py::<module>:train.py;py::step:train.py;at::mm");
}

TEST_F(TorchMemoryStacks, NamesWhyThereIsNone) {
  EXPECT_EQ(folded(Snapshot::kNoStack), "[no stack]");
  EXPECT_EQ(folded(stack({{"at::mm(int)", "??"},
                          {"torch::autograd::Engine::evaluate_function()", "??"},
                          {"torch::autograd::Engine::thread_main(int)", "??"},
                          {"torch::autograd::Engine::thread_init(int)", "??"},
                          {"std::error_code::default_error_condition() const", "??"},
                          {"__clone", "??"}})),
            "[autograd thread];torch::autograd::Engine::evaluate_function;at::mm");
  // rather than nothing
  EXPECT_EQ(folded(stack({{"torch::unwind::unwind()", "??"}, {"_start", "??"}})),
            "_start;torch::unwind::unwind");
}

}  // namespace
}  // namespace aiflame::torch_memory
