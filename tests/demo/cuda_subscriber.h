// SPDX-License-Identifier: MIT
// Another profiler in the program, by the stand-in for CUPTI (tests/fakes/cupti). In a file of its
// own, as CUPTI's headers have the real runtime's prototypes.
#pragma once

#include "tests/fakes/cupti/cupti_state.h"

// What is in use of CUPTI by now. Ends the program where CUPTI is not loaded.
FakeCuptiState cupti_state();
// Subscribes to calls of cuLaunchKernel, as another profiler would; CUPTI's answer.
int subscribe_to_launches();
// The calls, entries and exits, that it has been told of.
int calls_seen();
