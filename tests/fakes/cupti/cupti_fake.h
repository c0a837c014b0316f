/* SPDX-License-Identifier: MIT */
// What the parts of the stand-in for CUPTI share.
#pragma once

#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>

#include "tests/fakes/cupti/fake_cuda.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace fake_cuda {

// Ends the program with a core dump, because the agent has called what it must not.
[[noreturn]] void die(const char* what);

// CUPTI gives up: it reports the error, and from then on every call is the client's mistake.
void gave_up(const char* why);
void check_alive();

void sampling_module_loaded(const Module& module);
void sampling_module_unloaded(const Module& module);
void sampling_ran(const Run& run);
unsigned sampled_contexts();
bool has_fallen_silent();

}  // namespace fake_cuda
