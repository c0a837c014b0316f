/* SPDX-License-Identifier: MIT
 *
 * Launches: from the API calls that CUPTI calls back for, each counted once however many of them
 * are inside one another, to what is known of each by its correlation id.
 */
#pragma once

#include <cupti.h>

#include <cstdint>

#include "plugins/agents/cupti/launch_calls.h"

namespace aiflame::agent::cupti {

// Around a call that launches. `device`: of the context, as report_device() numbers them.
void launch_entered(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device);
void launch_left(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device);
// Whether the calling thread is inside of one.
bool is_launching();
// A node of a graph is made, of a kernel or a graph: where this thread does it by a launch, that is
// one into a stream that is captured, and launches nothing.
void node_created(const CUpti_GraphData& graph);

// Whether ends of launches will be told: kernel records come.
void set_timed(bool timed);

// A kernel has run from `begin` to `end`, CLOCK_MONOTONIC, or some clock (`flags` of AGENT_DONE).
// Of a graph, whose node `node` is, this is when its launch is told.
void kernel_ran(uint32_t correlation, const char* name, uint32_t device, uint64_t begin,
                uint64_t end, uint16_t flags, uint64_t node);
// When the launch was made, CLOCK_MONOTONIC; 0 = not known.
uint64_t launched_at(uint32_t correlation);
// The launches whose kernel record has not come will not get one: those before, or all.
void give_up_times(uint32_t before_correlation);
void give_up_all_times();
// Launches whose end is still to come.
uint64_t outstanding();

// The id of the stack of the launch, for a sample of `kernel`; 0 = not known. `object`
// has the kernel, 0 = not known.
uint64_t stack_of(uint32_t correlation, const char* kernel, uint32_t device, uint64_t object);

}  // namespace aiflame::agent::cupti
