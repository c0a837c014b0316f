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

void sampling_module_loaded(const Module& module);
void sampling_ran(const Run& run);

}  // namespace fake_cuda
