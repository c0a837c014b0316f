// SPDX-License-Identifier: MIT
// The frames of a kernel that torch.compile has made (pure): the lines of the model that it came
// from, and the model's operations that were fused in it:
//
//   py::forward:model.py:24; py::forward:model.py:14; [compiled]; [fused: linear, gelu at
//   model.py:14,15]; …
//
// A kernel of several lines stands on the part of their stacks that they share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/import/compiled_code.h"
#include "libcommon/import/imported_names.h"

namespace aiflame {

// Stands for the frames between a model and its compiled code.
inline constexpr std::string_view kCompiled = "[compiled]";

struct CompiledFrames {
  std::vector<std::string> lines;
  std::string fused;  // empty: one operation, or not known
};

// `choice`: kernels of which one is meant.
CompiledFrames compiled_frames(std::span<const CompiledKernel* const> choice,
                               const NameRules& rules);

// Whether a line of the model is in the function of a Python frame. The frame has the form of
// folded(5). Functions of recordings have qualified names: py::Net.forward:model.py
bool is_function_of(std::string_view frame, const ModelLine& line);

}  // namespace aiflame
