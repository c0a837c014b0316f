// SPDX-License-Identifier: MIT
// The steps that programs mark by themselves (pure).
#pragma once

#include <string_view>

namespace aiflame::trace {

// PyTorch's profiler ("ProfilerStep#7"), vLLM ("execute_context_1(512)_generation_8(8)",
// "execute_512_context_1(…)", "execute_new_1_cached_2"), SGLang ("step[DECODE bs=8]") and ATOM
// ("prefill[bs=2 tok=16384]"). `frame`: a range's, "ProfilerStep#7_[r]", or its name.
bool is_step_frame(std::string_view frame);

}  // namespace aiflame::trace
