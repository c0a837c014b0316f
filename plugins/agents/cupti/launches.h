/* SPDX-License-Identifier: MIT
 *
 * Launches, from the API calls that CUPTI calls back for. Nested calls count as one launch. What is
 * known of each launch is kept by its correlation id.
 */
#pragma once

#include <cupti.h>

#include <cstdint>
#include <optional>

#include "plugins/agents/cupti/launch_calls.h"

namespace aiflame::agent::cupti {

// Around a call that launches. `device`: the context's, as given to report_device().
void launch_entered(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device);
void launch_left(const LaunchCall& known, const CUpti_CallbackData& call, uint32_t device);
// Whether the calling thread is in such a call.
bool is_launching();
// Around a call that waits and launches nothing.
void wait_entered(const LaunchCall& known);
void wait_left();
// A node of a graph was made, for a kernel, an operation or a graph. If this thread is in a
// launch, that launch went into a stream that is captured, and runs nothing.
void node_created(const CUpti_GraphData& graph);

// For a recording that begins later: forgets the launches of the one before.
void forget_launches();
// Whether kernel records will come, so that ends of launches can be reported.
void set_timed(bool timed);

// A kernel's run, as CUPTI records it.
struct KernelRun {
  uint32_t correlation;
  const char* name;
  uint32_t device;
  uint64_t begin, end;  // CLOCK_MONOTONIC, unless `flags` (of AGENT_DONE) say otherwise
  uint16_t flags;
  uint64_t node;  // of the graph that launched it; 0 = none
  LaunchExtent size;
};
// Launches that begin from now on are no part of the recording, until forget_launches().
void end_launches();
// A kernel of a graph is reported as a launch only now.
void kernel_ran(const KernelRun& run);
// The same of a copy, a fill or a function of the host; the name is the operation's.
void copy_ran(const KernelRun& run);
// When the launch was made, CLOCK_MONOTONIC; 0 = not known.
uint64_t launched_at(uint32_t correlation);
// Gives up waiting for kernel records: of the launches before one, or of all.
void give_up_times(uint32_t before_correlation);
void give_up_all_times();
// The same of copies, and of functions of the host, that were launched before a time: a copy of
// nothing has no record.
void give_up_copies(uint64_t copies_before, uint64_t functions_before);
// Launches whose end is still to come.
uint64_t outstanding();

// The id of the launch's stack, for a sample of `kernel`; 0 = not known, and nothing where it will
// be known once the launch's call has returned. `object` is the code object that holds the kernel,
// 0 = not known.
std::optional<uint64_t> stack_of(uint32_t correlation, const char* kernel, uint32_t device,
                                 uint64_t object);

}  // namespace aiflame::agent::cupti
