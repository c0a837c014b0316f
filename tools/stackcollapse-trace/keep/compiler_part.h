// SPDX-License-Identifier: MIT
// Which part of torch.compile an event is (pure). What a compiled model calls stands below some
// twenty frames of the compiler's, which are the same for every model:
//
//   train.py: step; eval_frame.py: __call__; OptimizedModule_0; Transformer_0; module.py:
//   _call_impl; Torch-Compiled Region: 0/0; …; ## Call CompiledFxGraph fnf3…; cogq….py: call;
//   triton_heuristics.py: run; triton_poi_fused_gelu_7; static_triton_launcher.py: run; …
//
// HostStacks folds them: train.py: step; Transformer_0; [compiled]; triton_poi_fused_gelu_7; …
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

enum class CompilerPart : uint8_t {
  none,       // the program's own
  pytorch,    // PyTorch's: folded where it stands among frames of the compiler
  compiler,   // of what calls the compiled code
  code,       // the compiled code: a wrapper of Inductor's, or the range around its call
  compiling,  // the compiler at work: nothing below or above it is folded
};

// `name`: as the trace has it.
CompilerPart compiler_part(Kind kind, std::string_view name);

}  // namespace aiflame::trace
