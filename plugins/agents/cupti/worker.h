/* SPDX-License-Identifier: MIT
 *
 * The agent's thread: reads what CUPTI has, slice by slice. When the recording ends before the
 * program all that the agent has set up in CUPTI is taken back, so that the program runs as without
 * it, and another profiler may come.
 *
 * What starts and stops sampling is done by the program's threads, where they make and end their
 * contexts and at the begin and the end of their launches, as NVIDIA's samples do
 * (pc_sampling_start_stop, pc_sampling_continuous): cuptiPCSamplingStop() by a thread of the
 * profiler's own has been seen to wait for ever for a thread that launches, and that one for it
 * (perf-agent, with an RTX 3090 and CUDA 13.3).
 */
#pragma once

#include <cuda.h>

#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/settings.h"

namespace aiflame::agent::cupti {

// False when no thread can be made. `subscriber`: whose callbacks it ends with the recording.
bool start_worker(const Cupti& cupti, const Settings& settings, CUpti_SubscriberHandle subscriber);
// From the callbacks.
void context_created(CUcontext context);
void context_destroying(CUcontext context);
void module_loading(CUcontext context);
// Around a launch that is inside of no other.
void launch_begins();
void launch_ends(CUcontext context);
// As report_device() numbers them; 0 = not known.
uint32_t device_of(CUcontext context);
// At the program's end: reads the rest.
void finish_worker();

}  // namespace aiflame::agent::cupti
