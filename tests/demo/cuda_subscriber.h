// SPDX-License-Identifier: MIT
// What a test program asks of the stand-in for CUPTI (tests/fakes/cupti), and another profiler in
// the program. In a file of its own, as CUPTI's headers declare the real runtime's functions.
#pragma once

#include "tests/fakes/cupti/cupti_state.h"

// All but calls_seen() end the program where CUPTI is not loaded.

// What of CUPTI is in use now.
FakeCuptiState cupti_state();
// Blocks until the agent has read what CUPTI has now, or CUPTI has given up; 20 seconds at most.
void wait_until_cupti_was_read();
// Blocks until nobody subscribes to CUPTI's callbacks; 20 seconds at most.
void wait_until_cupti_is_free();
// Subscribes to calls of cuLaunchKernel, as another profiler would; CUPTI's answer.
int subscribe_to_launches();
// How many entries and exits of calls were called back since.
int calls_seen();
