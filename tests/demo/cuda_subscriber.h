// SPDX-License-Identifier: MIT
// What a test program asks the stand-in for CUPTI (tests/fakes/cupti), and another profiler in the
// program. It is a file of its own because CUPTI's headers declare the real runtime's functions.
#pragma once

#include "tests/fakes/cupti/cupti_state.h"

// All of these except calls_seen() end the program if CUPTI is not loaded.

// Which parts of CUPTI are in use now.
FakeCuptiState cupti_state();
// Blocks until the agent has read all that CUPTI has now, or CUPTI has given up; 20 seconds at
// most.
void wait_until_cupti_was_read();
// Blocks until nobody subscribes to CUPTI's callbacks; 20 seconds at most.
void wait_until_cupti_is_free();
// Subscribes to calls of cuLaunchKernel, as another profiler would; returns CUPTI's answer.
int subscribe_to_launches();
// Subscribes to these calls and to records of kernels, and allows others to subscribe, as a
// profiler may from CUPTI 13.3 on. With `loads` it loads CUPTI where nobody has. Returns CUPTI's
// answer.
int share_cupti(bool allows_others, bool loads);
// The same by the older interface, which does not share CUPTI, as torch.profiler does.
int subscribe_as_kineto();
// How many kernels the records of share_cupti() had: waits for so many, 20 seconds at most.
int kernels_seen(int awaited);
// How many entries and exits of calls were called back since then.
int calls_seen();
