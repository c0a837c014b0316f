// SPDX-License-Identifier: MIT
// Why a GPU cannot be sampled through Level Zero, in words, and the command that mends it.
#pragma once

#include <level_zero/ze_api.h>

#include <string>

namespace aiflame::source::level_zero {

// Why it is no use to start a driver, which takes time and wakes GPUs; "" where it may be.
std::string machine_obstacle();
// The loader cannot be opened.
std::string loader_obstacle(const char* why);
// No driver starts.
std::string init_obstacle(ze_result_t result);
// The driver has GPUs, none of them Intel's.
std::string no_gpu_obstacle();
// The driver does not show the sampler of a GPU, and never says why.
std::string hidden_obstacle();
// It does not open a stream of it.
std::string stream_obstacle(ze_result_t result);

}  // namespace aiflame::source::level_zero
