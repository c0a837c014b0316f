// SPDX-License-Identifier: MIT
// Why a GPU cannot be sampled through Level Zero, and the command that helps.
#pragma once

#include <level_zero/ze_api.h>

#include <string>

namespace aiflame::source::level_zero {

// Why starting a driver, which takes time and wakes GPUs, would be useless; "" if it may be of use.
std::string machine_obstacle();
// The loader cannot be opened.
std::string loader_obstacle(const char* why);
// No driver starts.
std::string init_obstacle(ze_result_t result);
// The driver has no Intel GPU.
std::string no_gpu_obstacle();
// The driver does not show a GPU's sampler, and does not say why.
std::string hidden_obstacle();
// It does not open a stream.
std::string stream_obstacle(ze_result_t result);

}  // namespace aiflame::source::level_zero
