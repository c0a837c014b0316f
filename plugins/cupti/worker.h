/* SPDX-License-Identifier: MIT
 *
 * The agent's thread: reads what CUPTI has, slice by slice, and opens and closes the windows that
 * are sampled in. When the recording ends before the program it takes back all that the agent has
 * set up in CUPTI, so that the program runs as without it, and another profiler may come.
 */
#pragma once

#include <cuda.h>

#include "plugins/cupti/cupti_library.h"
#include "plugins/cupti/settings.h"

namespace aiflame::agent {

// False when no thread can be made. `subscriber`: whose callbacks it ends with the recording.
bool start_worker(const Cupti& cupti, const Settings& settings, CUpti_SubscriberHandle subscriber);
// From the callbacks.
void context_created(CUcontext context);
void context_destroying(CUcontext context);
void module_loading(CUcontext context);
// As report_device() numbers them; 0 = not known.
uint32_t device_of(CUcontext context);
// At the program's end: reads the rest.
void finish_worker();

}  // namespace aiflame::agent
