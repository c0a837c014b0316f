/* SPDX-License-Identifier: MIT */
// Between the parts of the stand-in for CUPTI.
#pragma once

#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>

#include "tests/fakes/cupti/fake_cuda.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace fake_cuda {

// The agent has called what it must not: ends the program with a core.
[[noreturn]] void die(const char* what);

// CUPTI ends by itself: it says so, and calls are the client's mistake from then on.
void gave_up(const char* why);
void check_alive();

void sampling_module_loaded(const Module& module);
void sampling_module_unloaded(const Module& module);
void sampling_ran(const Run& run);
unsigned sampled_contexts();

}  // namespace fake_cuda
