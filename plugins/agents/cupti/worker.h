/* SPDX-License-Identifier: MIT
 *
 * The agent's thread reads what CUPTI has, slice by slice. When the recording ends before the
 * program, it takes back all that the agent has set up in CUPTI. The program then runs as without
 * the agent, and another profiler may start.
 *
 * Sampling is started and stopped by the program's own threads: where they create and destroy
 * contexts, and when their launches begin and end. NVIDIA's samples do so too
 * (pc_sampling_start_stop, pc_sampling_continuous). When a profiler's thread called
 * cuptiPCSamplingStop(), it was seen to deadlock with a launching thread (perf-agent, RTX 3090,
 * CUDA 13.3).
 *
 * Between recordings the thread looks for a recorder, ten times a second.
 */
#pragma once

#include <cuda.h>

#include <cstdint>

#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/settings.h"

namespace aiflame::agent::cupti {

enum class Begins : uint8_t { with_the_program, later };
// Comes before callbacks are enabled. `subscriber`: its callbacks end with the recording.
void prepare_worker(const Cupti& cupti, const Settings& settings, CUpti_SubscriberHandle subscriber,
                    Begins begins);
// False when no thread can be made. `begin` sets CUPTI up for a recorder that has come later, and
// returns whether it could. `is_recorded`: there is a recorder already.
[[nodiscard]] bool start_worker(bool (*begin)(Begins), bool is_recorded);
// From the callbacks.
// A launch in this context: where the recording began later, it is the first that is heard of it.
void context_met(CUcontext context);
void context_created(CUcontext context);
void context_destroying(CUcontext context);
void module_loading(CUcontext context);
// Around each outermost launch.
void launch_begins();
void launch_ends(CUcontext context);
// The number given to report_device(); 0 = not known.
uint32_t device_of(CUcontext context);
// At the program's end: reads the rest. The first call counts.
void finish_worker();

}  // namespace aiflame::agent::cupti
